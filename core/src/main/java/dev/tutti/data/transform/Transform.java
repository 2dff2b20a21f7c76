package dev.tutti.data.transform;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.array.DType;
import dev.tutti.data.Sample;
import dev.tutti.json.ShortForm;

/**
 * Makes another sample of a sample, the same one every time.
 *
 * <p>A lambda will do within this JVM. To be written to files and shipped it needs a name: extend {@link
 * ArrayTransform} or implement this as a class with plain fields and a no-argument constructor, and call {@link
 * dev.tutti.json.Json#register}.
 */
@FunctionalInterface
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public interface Transform {
    Sample apply(Sample sample);

    /** Features times a factor plus an offset, as float32: {@code scale(1 / 255.0, 0)} makes grey levels 0 to 1. */
    static Scale scale(double factor, double offset) {
        return new Scale(factor, offset);
    }

    /** Features less their mean, divided by their standard deviation, as float32. See {@link Normalize#fit}. */
    static Normalize normalize(double mean, double std) {
        return new Normalize(new double[] {mean}, new double[] {std});
    }

    /** The same, with a mean and a deviation for each channel of an image or each feature of a row. */
    static Normalize normalize(double[] mean, double[] std) {
        return new Normalize(mean, std);
    }

    /** Features as another type; {@code cast(INT64).onLabels()} for labels. */
    static Cast cast(DType type) {
        return new Cast(type);
    }

    /** Features under another shape of as many elements; one extent may be -1 and is found out. */
    static ReshapeTransform reshape(long... shape) {
        return new ReshapeTransform(shape);
    }

    /** Features as one row of numbers. */
    static FlattenTransform flatten() {
        return new FlattenTransform();
    }

    /** Class ids as float32 arrays with a 1 at the place of the class. */
    static OneHot oneHot(int classes) {
        return new OneHot(classes);
    }
}
