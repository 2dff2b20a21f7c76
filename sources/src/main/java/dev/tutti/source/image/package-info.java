/** Folders of images, decoded and resized by OpenCV on background threads. */
package dev.tutti.source.image;
