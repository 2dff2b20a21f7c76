/** Serving of saved models: {@link dev.tutti.serve.http.InferenceServer} answers over HTTP for the models of a repository. */
package dev.tutti.serve;
