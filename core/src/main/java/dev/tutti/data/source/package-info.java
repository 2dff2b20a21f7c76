/** Where rows come from: arrays, IDX files, MNIST; {@link dev.tutti.data.source.Source} is the contract of a source of your own. */
package dev.tutti.data.source;
