type point = {x: f32, y: f32}
