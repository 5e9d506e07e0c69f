"""Decision trees: ID3, C4.5 and its rules, perceptron trees."""
