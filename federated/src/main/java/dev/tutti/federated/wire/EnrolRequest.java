package dev.tutti.federated.wire;

import java.util.Map;

/**
 * A client asks to take part.
 *
 * @param token the enrolment token; null where a certificate says who the client is
 * @param name what people call it
 * @param labels words to choose by
 * @param resources numbers to choose by
 */
public record EnrolRequest(String token, String name, Map<String, String> labels, Map<String, Double> resources) {}
