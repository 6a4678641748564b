export { datasetRows } from "./datasetRows";
