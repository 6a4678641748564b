/** Lays a platform package's dist/ out in a folder, the command line and the accelerator with it. */
export function layOut(folder: string, target: string): Promise<void>;
