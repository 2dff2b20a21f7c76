/** The commands of federated learning. */
package dev.tutti.app.command.federated;
