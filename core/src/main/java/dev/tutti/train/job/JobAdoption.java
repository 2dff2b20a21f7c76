package dev.tutti.train.job;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tutti.json.ConfigException;
import dev.tutti.train.transfer.Adoption;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Weights to take over as a job names them: {@code adopt: runs/digits}, or with {@code from}, {@code under}, {@code rename}, {@code only}. */
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public final class JobAdoption {
    private String from;
    private String under = "";
    private Map<String, String> rename = new LinkedHashMap<>();
    private String only;

    private JobAdoption() {}

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    static JobAdoption of(String from) {
        JobAdoption adoption = new JobAdoption();
        adoption.from = from;
        return adoption;
    }

    Adoption adoption() {
        if (from == null) {
            throw new ConfigException(
                    "adopt: expected 'from': a saved model, a safetensors file or a TorchScript file");
        }
        Adoption adoption = Adoption.from(Path.of(from)).under(under);
        for (Map.Entry<String, String> each : rename.entrySet()) {
            adoption = adoption.rename(each.getKey(), each.getValue());
        }
        return only == null ? adoption : adoption.only(only);
    }
}
