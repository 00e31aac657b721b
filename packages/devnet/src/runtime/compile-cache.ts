/**
 * Returns the environment variable of the compile cache of Node.js, if it is set. With it, a worker or a process does
 * not compile modules again that an earlier one has compiled.
 */
export function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }
}
