/** What keeps a client's update from being read: bounds and noise with an accountant, and sums of masked updates. */
package dev.tutti.federated.privacy;
