-- expect: result-aliases-global
def defaults = {weights = [1f32, 2f32], rate = 0.5f32}

def settings (rate: f32) = {weights = defaults.weights, rate}

entry main (rate: f32) : f32 = (settings rate).rate
