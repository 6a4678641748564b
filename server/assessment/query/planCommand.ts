import type { Span } from "../../configs/text";
import { QueryFailure, type CommandInput, type Part } from "./types";

export function planCommand(_input: CommandInput, place: Span | undefined): Promise<Part[]> {
  return Promise.reject(new QueryFailure("Plans are not available in this build.", place));
}
