// The Parquet library, in Node a file of its own that is loaded when the first Parquet file is read.
export { parquetMetadataAsync, parquetReadObjects } from "hyparquet";
export { compressors } from "hyparquet-compressors";
