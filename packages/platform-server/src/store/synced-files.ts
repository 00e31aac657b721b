import { fsyncSync } from 'node:fs'
import { NodeFS } from '@electric-sql/pglite/nodefs'

interface NodeFileOperations {
  fsync?: (stream: { readonly nfd?: number }) => number
}

/**
 * The embedded database's files, with fsync. PGlite's own file system omits fsync, so that a commit would survive the
 * end of the process but not a power failure.
 */
export class SyncedFiles extends NodeFS {
  readonly #sync: (descriptor: number) => void

  constructor(directory: string, sync: (descriptor: number) => void = fsyncSync) {
    super(directory)
    this.#sync = sync
  }

  override async init(...[pglite, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, options)
    const addSync = (module: { readonly NODEFS?: { readonly stream_ops: NodeFileOperations } }) => {
      if (module.NODEFS === undefined) return
      module.NODEFS.stream_ops.fsync = ({ nfd }) => {
        // Directories have no file descriptor here.
        if (nfd !== undefined) this.#sync(nfd)
        return 0
      }
    }
    const preRun = [addSync, ...[emscriptenOpts.preRun ?? []].flat()]
    return { emscriptenOpts: { ...emscriptenOpts, preRun } }
  }
}
