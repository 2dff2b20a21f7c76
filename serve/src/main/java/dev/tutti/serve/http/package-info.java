/** The HTTP server: endpoints with roles, API keys, limits, access log, TLS, and the service that puts all protocols on one port. */
package dev.tutti.serve.http;
