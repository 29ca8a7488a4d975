"""PSO in PyTorch, written by hand as an experienced user would.

torch_graph: many iterations captured as one CUDA graph. torch_compile_graph: the same with a compiled step.
torch_eager: neither, on two cases.
"""

import torch

from gpu import OPTIONS, cases, measure, say

DEVICE = "cpu" if OPTIONS.cpu else "cuda"
INERTIA, COGNITIVE, SOCIAL = 0.7298, 1.49618, 1.49618


def objective(name):
    if name == "sphere":
        return lambda x: (x * x).sum(-1)
    return lambda x: 10.0 * x.shape[-1] + (x * x - 10.0 * torch.cos(6.283185307179586 * x)).sum(-1)


def stepper(case):
    f = objective(case.objective)
    lower, upper = case.bounds

    # x, v, p: [run, particle, coordinate]; fitness: [run, particle]; g: [run, 1, coordinate]; best: [run]
    def step(x, v, p, fitness, g, best):
        r1 = torch.rand_like(x)
        r2 = torch.rand_like(x)
        v = (INERTIA * v + COGNITIVE * r1 * (p - x) + SOCIAL * r2 * (g - x)).clamp(lower, upper)
        x = (x + v).clamp(lower, upper)
        y = f(x)
        improved = y < fitness
        p = torch.where(improved.unsqueeze(-1), x, p)
        fitness = torch.where(improved, y, fitness)
        m, i = fitness.min(dim=1)
        candidate = torch.gather(p, 1, i.view(-1, 1, 1).expand(-1, 1, x.shape[-1]))
        better = m < best
        g = torch.where(better.view(-1, 1, 1), candidate, g)
        return x, v, p, fitness, g, torch.where(better, m, best)

    return f, step


def make(case, mode):
    lower, upper = case.bounds
    shape = (case.runs, case.individuals, case.dimensions)
    f, step = stepper(case)
    if mode == "compile":
        torch._dynamo.reset()
        step = torch.compile(step, dynamic=False, fullgraph=True)

    def init():
        torch.manual_seed(1)
        x = torch.rand(shape, device=DEVICE) * (upper - lower) + lower
        v = torch.rand(shape, device=DEVICE) * (upper - lower) + lower
        fitness = f(x)
        m, i = fitness.min(dim=1)
        g = torch.gather(x, 1, i.view(-1, 1, 1).expand(-1, 1, case.dimensions)).clone()
        return [x, v, x.clone(), fitness, g, m.clone()]

    state = init()
    wait = torch.cuda.synchronize if DEVICE == "cuda" else (lambda: None)

    def keep(new):
        for old, value in zip(state, new):
            old.copy_(value)

    def reset():
        keep(init())

    def best():
        return state[5].min().item()

    if mode == "eager" or DEVICE == "cpu":

        def run():
            s = state
            for _ in range(case.block):
                s = step(*s)
            keep(s)

        return reset, run, wait, best
    captured = min(case.block, 50 if case.coordinates <= 4_000_000 else 5)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.no_grad(), torch.cuda.stream(side):
        for _ in range(3):
            keep(step(*state))
    torch.cuda.current_stream().wait_stream(side)
    wait()
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        s = state
        for _ in range(captured):
            s = step(*s)
        keep(s)

    def run():
        for _ in range(max(1, case.block // captured)):
            graph.replay()

    return reset, run, wait, best


say(f"# torch {torch.__version__} {'cpu' if OPTIONS.cpu else torch.cuda.get_device_name()}")
MODES = [("graph", "torch_graph"), ("compile", "torch_compile_graph"), ("eager", "torch_eager")]
with torch.no_grad():
    for mode, system in MODES:
        for case in cases():
            if mode == "eager" and not OPTIONS.cpu:
                if case.name not in ("n1k_d2", "n64k_d30"):
                    continue
                case = case._replace(iterations=min(case.iterations, 1000), block=100)
            measure(system, case, lambda: make(case, mode))
            if DEVICE == "cuda":
                torch.cuda.empty_cache()
