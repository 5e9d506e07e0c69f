"""How the time of a training is shared among its stages, for the estimate of what is left."""

# In hundredths, as measured with IB1.
SHARES = {
    "reading": 12,
    "counting": 24,
    "adding": 3,
    "spelling": 0,
    "coding": 6,
    "comparing ids": 0,  # these stages are short, or only some trainings have them
    "finding ids": 0,
    "sampling": 2,
    "dividing": 9,
    "sorting": 30,
    "copying": 0,
    "naming": 0,
    "hashing": 4,
    "drawing": 2,
    "calibrating": 2,
    "scoring": 2,
    "answering cases apart": 0,
    "saving": 4,
    "sampling again": 0,
    "dividing again": 0,
    "arranging": 0,
}
