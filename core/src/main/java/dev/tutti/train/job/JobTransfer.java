package dev.tutti.train.job;

import dev.tutti.NamePattern;
import dev.tutti.nn.Layer;
import dev.tutti.nn.LowRankAdapter;
import dev.tutti.nn.Model;
import dev.tutti.train.transfer.Adoption;
import dev.tutti.train.transfer.AdoptionReport;
import dev.tutti.train.transfer.Lora;
import dev.tutti.train.transfer.TransferGraph;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What a job says about knowledge from elsewhere: adapters in the definition, weights to take over, parameters that do not learn. */
final class JobTransfer {
    private final Job job;
    private final List<AdoptionReport> reports = new ArrayList<>();

    JobTransfer(Job job) {
        this.job = job;
    }

    /** The definition with the adapters that the job asks for; on a trained model they are on its part alone. */
    Layer adapted(Layer definition) {
        Optional<LowRankAdapter> lora = job.lora();
        return lora.isEmpty() ? definition : Lora.adapt(definition, lora.get());
    }

    /** Brings a model that was built to where the job wants it to begin. */
    void apply(Model model) {
        Set<String> taken = new HashSet<>();
        job.model().baseFolder().ifPresent(base -> adopt(Adoption.from(base).under(TransferGraph.BASE), model, taken));
        if (job.lora().isPresent()) {
            job.model().saved().ifPresent(saved -> adopt(Adoption.from(saved), model, taken));
        }
        job.adopt().ifPresent(adoption -> adopt(adoption.adoption(), model, taken));
        if (job.lora().isPresent()) {
            Set<String> learning = new HashSet<>();
            if (!taken.isEmpty()) { // what came from nowhere has to learn
                model.parameters().forEach(p -> learning.add(p.name()));
                learning.removeAll(taken);
            }
            Lora.freezeBase(model, learning);
        }
        job.freeze().forEach(pattern -> model.freezeMatching(new NamePattern(pattern)));
    }

    private void adopt(Adoption adoption, Model model, Set<String> taken) {
        AdoptionReport report = adoption.into(model);
        reports.add(report);
        taken.addAll(report.taken());
    }

    /** What was taken over, source by source. */
    List<AdoptionReport> reports() {
        return List.copyOf(reports);
    }
}
