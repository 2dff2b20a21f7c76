package dev.tutti.data.transform;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.annotation.JsonTypeResolver;
import dev.tutti.data.RowRandom;
import dev.tutti.data.Sample;
import dev.tutti.json.ShortForm;

/**
 * Makes another sample of a sample by chance. All chance must come from the generator it is given: that is what makes
 * a resumed run equal to one that was never stopped.
 */
@FunctionalInterface
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
@JsonTypeResolver(ShortForm.class)
@JsonInclude(JsonInclude.Include.NON_DEFAULT)
public interface RandomTransform {
    Sample apply(Sample sample, RowRandom random);

    /** Shifts images by up to the given number of pixels in each direction; pixels from outside the image are 0. */
    static RandomTransform randomShift(int pixels) {
        return new RandomShift(pixels);
    }

    /** Mirrors every other image, left to right. */
    static RandomTransform randomFlip() {
        return new RandomFlip();
    }
}
