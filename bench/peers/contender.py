"""The line protocol that every peer of a benchmark speaks with the harness.

The harness starts the process and waits for one JSON line that says it is ready. Then, any number of times,
it sends `run WORKLOAD SECONDS` and receives one JSON line with the measurement. When standard input ends, so
does the process. Only these lines go to standard output; what a library prints goes to standard error.
"""

import json
import os
import sys
import time


def own_standard_output():
    """Keeps standard output for the protocol and sends everything else that writes there to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


class Workload:
    """One model with its data. `step` trains one batch; `finish` waits until the work is really done."""

    def __init__(self, batch, step, finish=lambda: None):
        self.batch = batch
        self.step = step
        self.finish = finish

    def run(self, seconds):
        """Steps until the time is over, at least once, and tells how many samples a second that made."""
        start = time.perf_counter()
        steps = 0
        while True:
            self.step()
            steps += 1
            if time.perf_counter() - start >= seconds:
                break
        self.finish()
        return self.pace(steps, time.perf_counter() - start)

    def pace(self, steps, took):
        """The answer to a question: what so many steps in so many seconds make."""
        return {
            "samples_per_second": steps * self.batch / took, "ms_per_step": 1e3 * took / steps,
            "us_per_step": 1e6 * took / steps, "steps": steps, "seconds": took}


def serve(answers, workloads):
    """Answers until standard input ends. `workloads` maps a name to a function that builds the workload."""

    def answer(value):
        answers.write(json.dumps(value) + "\n")
        answers.flush()

    answer({"ready": True})
    name, workload = None, None
    for line in sys.stdin:
        words = line.split()
        try:
            verb, wanted, seconds = words[0], words[1], float(words[2])
            if verb != "run" or wanted not in workloads:
                raise ValueError("expected 'run WORKLOAD SECONDS' with one of " + ", ".join(workloads))
            if wanted != name:
                name, workload = wanted, workloads[wanted]()
            answer(workload.run(seconds))
        except Exception as error:  # the harness prints it in the row and goes on
            answer({"error": f"{type(error).__name__}: {error} (received: {line.strip()})"})
