/** Text as ids: by bytes, by a vocabulary, or by a tokenizer of Hugging Face. */
package dev.tutti.source.text;
