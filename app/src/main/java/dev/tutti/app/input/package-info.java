/** What a user asks a model about (numbers as JSON, images) and how its answers are shown. */
package dev.tutti.app.input;
