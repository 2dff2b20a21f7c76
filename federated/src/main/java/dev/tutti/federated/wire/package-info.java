/** What travels between server and clients: data only, JSON and safetensors over HTTP; described in docs/strategies/federated.md. */
package dev.tutti.federated.wire;
