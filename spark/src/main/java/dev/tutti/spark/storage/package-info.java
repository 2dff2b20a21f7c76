/** Folders of file systems that Hadoop knows, such as HDFS and S3, for checkpoints, models and whole runs. */
package dev.tutti.spark.storage;
