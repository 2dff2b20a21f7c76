/**
 * What deals with the process and the machine that Tutti runs in. Nothing here changes either of them unless {@link
 * dev.tutti.host.HostTuning#apply} was called.
 */
package dev.tutti.host;
