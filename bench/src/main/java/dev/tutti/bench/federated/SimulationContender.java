package dev.tutti.bench.federated;

import dev.tutti.data.Mnist;
import dev.tutti.federated.FederatedJob;
import dev.tutti.federated.FederatedJobs;
import dev.tutti.federated.Selection;
import dev.tutti.federated.simulation.Simulation;
import dev.tutti.federated.simulation.SimulationResult;
import dev.tutti.host.HostTuning;
import dev.tutti.json.Json;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Simulates FedAvg of the 2NN on MNIST: {@code SimulationContender CLIENTS FRACTION ROUNDS}. Rounds are timed from the end of the first
 * one on, as the peer's are.
 */
public final class SimulationContender {
    private SimulationContender() {}

    public static void main(String[] arguments) {
        HostTuning.apply();
        int clients = Integer.parseInt(arguments[0]);
        FederatedJob job = FederatedJobs.find("mnist")
                .rounds(Integer.parseInt(arguments[2]))
                .selection(new Selection().fraction(Double.parseDouble(arguments[1])));
        List<Long> ends = new ArrayList<>();
        List<Double> memory = new ArrayList<>();
        Simulation simulation = Simulation.of(job, Mnist.train(), clients).watch(round -> {
            ends.add(System.nanoTime());
            memory.add(ResidentMemory.nowMegabytes());
        });
        SimulationResult result = simulation.run();
        double accuracy = Simulation.of(job, Mnist.test(), 1)
                .perClient(result.model())
                .get(0)
                .get("accuracy");
        Map<String, Double> answer = new LinkedHashMap<>();
        answer.put("rounds_per_second", (ends.size() - 1) * 1e9 / (ends.get(ends.size() - 1) - ends.get(0)));
        answer.put("peak_mb", ResidentMemory.peakMegabytes());
        answer.put("growth_mb", memory.get(memory.size() - 1) - memory.get(memory.size() / 2));
        answer.put("accuracy", accuracy);
        System.out.println(Json.write(answer).replace("\n", " "));
    }
}
