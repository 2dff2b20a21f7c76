/** Models of Hugging Face's layout and of torchvision: read into ordinary models, and written back. */
package dev.tutti.transfer.huggingface;
