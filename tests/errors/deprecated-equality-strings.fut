-- expect: deprecated-equality
-- Strings are arrays.
def is_yes (answer: []u8): bool = answer == "yes"
