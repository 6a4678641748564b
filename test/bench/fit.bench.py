"""scipy doing the same work as fit.bench.mjs: reads a JSON request on stdin, prints a JSON answer."""
import json
import sys
import time

import numpy as np
from scipy import optimize, special

request = json.load(sys.stdin)
answer = {}


def huber(r, delta):
    size = np.abs(r)
    return np.where(size <= delta, 0.5 * r * r, delta * (size - 0.5 * delta)), np.clip(r, -delta, delta)


# Chinchilla: e = ln E, a = ln A, b = ln B, with the analytic gradient.
lnN, lnD, lnL = (np.array(request["chinchilla"][k]) for k in ("lnN", "lnD", "lnL"))


def chinchilla(theta):
    e, a, b, alpha, beta = theta
    terms = np.stack([np.full_like(lnN, e), a - alpha * lnN, b - beta * lnD])
    predicted = special.logsumexp(terms, axis=0)
    share = np.exp(terms - predicted)
    value, psi = huber(predicted - lnL, 1e-3)
    slope = np.array([np.sum(psi * share[0]), np.sum(psi * share[1]), np.sum(psi * share[2]), -np.sum(psi * share[1] * lnN), -np.sum(psi * share[2] * lnD)])
    return float(np.sum(value)), slope


def all_starts(jac):
    objectives = []
    started = time.process_time()
    with np.errstate(all="ignore"):
        for start in request["chinchilla"]["starts"]:
            # gtol far below the default, at which BFGS stops early on so small an objective.
            fun = chinchilla if jac else lambda theta: chinchilla(theta)[0]
            found = optimize.minimize(fun, start, jac=jac or None, method="BFGS", options={"gtol": 1e-9, "maxiter": 2000})
            objectives.append(float(found.fun) if np.isfinite(found.fun) else 1e9)
    return {"seconds": time.process_time() - started, "objectives": objectives}


answer["chinchilla"] = all_starts(False)
answer["chinchillaGradient"] = all_starts(True)

# Refits: the multiplicative law of four axes, weighted by resample counts, from the estimate.
u, y, n = (np.array(request["refits"][k]) for k in ("u", "y", "n"))


def refit(theta, weight):
    floor, log_a, alpha = theta[0], theta[1], theta[2:]
    term = np.exp(log_a - alpha @ u)
    p = np.clip(floor + term, 1e-6, 1 - 1e-6)
    value = np.sum(weight * n * (special.xlogy(y, y / p) + special.xlogy(1 - y, (1 - y) / (1 - p))))
    g = weight * n * (p - y) / (p * (1 - p))
    return float(value), np.concatenate([[np.sum(g), np.sum(g * term)], -(u * (g * term)).sum(axis=1)])


bounds = [(0, 0.999), (-12, 2.5)] + [(0.02, 1.5)] * len(u)
objectives = []
started = time.process_time()
for weight in request["refits"]["weights"]:
    found = optimize.minimize(refit, request["refits"]["start"], (np.array(weight, float),), "L-BFGS-B", jac=True, bounds=bounds, options={"ftol": 1e-12})
    objectives.append(float(found.fun))
answer["refits"] = {"seconds": time.process_time() - started, "objectives": objectives}
json.dump(answer, sys.stdout)
