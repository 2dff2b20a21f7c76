package dev.tutti.comm;

import java.time.Duration;

/**
 * What a member was asked.
 *
 * @param from the member that asked
 * @param topic what it is about
 * @param message what was said; its tensors are closed when the request has been answered
 * @param limit how long the member waits for the answer, counted from when it asked
 */
public record MessageRequest(Member from, String topic, Message message, Duration limit) {}
