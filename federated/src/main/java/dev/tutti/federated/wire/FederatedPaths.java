package dev.tutti.federated.wire;

/** The paths, headers and kinds of work of the protocol; described in docs/strategies/federated.md. */
public final class FederatedPaths {
    public static final String ENROL = "/v1/enrol";
    public static final String JOB = "/v1/job";
    public static final String WORK = "/v1/work";
    public static final String STATUS = "/v1/status";
    public static final String MODEL = "/v1/rounds/{round}/model";
    public static final String UPDATE = "/v1/rounds/{round}/update";
    public static final String EVALUATION = "/v1/rounds/{round}/evaluation";
    public static final String DECLINE = "/v1/rounds/{round}/decline";
    public static final String SECURE = "/v1/rounds/{round}/secure/{phase}";

    /** Where in an upload the bytes of a request belong. */
    public static final String OFFSET = "upload-offset";

    /** How long an upload will be. */
    public static final String LENGTH = "upload-length";

    public static final String SAFETENSORS = "application/octet-stream";

    private FederatedPaths() {}

    /** A path with its round. */
    public static String of(String path, int round) {
        return path.replace("{round}", Integer.toString(round));
    }
}
