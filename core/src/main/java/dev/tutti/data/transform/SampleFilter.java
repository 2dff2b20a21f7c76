package dev.tutti.data.transform;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.data.Sample;
import dev.tutti.json.ShortForm;

/**
 * Decides which samples stay. A lambda will do within this JVM; a class registered with its name can be written to
 * files.
 */
@FunctionalInterface
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public interface SampleFilter {
    boolean keep(Sample sample);

    /** Keeps the samples whose first label is one of these classes. */
    static SampleFilter labels(long... classes) {
        return new LabelFilter(classes);
    }
}
