package dev.tutti.metric;

/** The built-in metrics, to be imported statically: {@code metrics(accuracy(), topK(5))}. */
public final class Metrics {
    private Metrics() {}

    /** The share of rows whose class was predicted correctly. */
    public static Accuracy accuracy() {
        return new Accuracy();
    }

    /** The share of rows whose class is among the {@code k} with the highest scores. */
    public static TopK topK(int k) {
        return new TopK(k);
    }

    /** The area under the ROC curve of a model with two classes. */
    public static Auc auc() {
        return new Auc();
    }

    /** Of the rows that were predicted as a class, the share that is of that class. */
    public static Precision precision() {
        return new Precision();
    }

    /** Of the rows of a class, the share that was predicted as that class. */
    public static Recall recall() {
        return new Recall();
    }

    /** The harmonic mean of precision and recall. */
    public static F1 f1() {
        return new F1();
    }

    /** How often each class was predicted as each other one. */
    public static ConfusionMatrix confusionMatrix() {
        return new ConfusionMatrix();
    }

    /** The mean absolute error. */
    public static Mae mae() {
        return new Mae();
    }

    /** The root of the mean squared error. */
    public static Rmse rmse() {
        return new Rmse();
    }

    /** The share of the targets' variance that the predictions explain, R². */
    public static R2 r2() {
        return new R2();
    }
}
