import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let collect: ((options?: { readonly type: 'minor' }) => void) | undefined

/**
 * Collects garbage, so that what a test then reads of the memory in use does not depend on the time of a collection.
 * A major collection runs twice: the second one waits until the memory of buffers from the first one is freed.
 */
export function collectGarbage(type: 'major' | 'minor' = 'major'): void {
  if (!collect) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as NonNullable<typeof collect>
  }
  if (type === 'minor') return collect({ type })
  collect()
  collect()
}
