/**
 * What deals with the process and the machine that Tutti runs in. Nothing here changes either of them unless {@link
 * dev.tutti.host.HostTuning#apply} was called.
 *
 * <pre>{@code
 * HostTuning.apply(); // once, best before the first tensor is made
 * }</pre>
 */
package dev.tutti.host;
