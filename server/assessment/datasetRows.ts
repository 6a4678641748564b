export { datasetRows } from "../configs/datasetRows";
