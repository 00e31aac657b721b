import { access, constants, stat, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Configuration } from '../configuration/options.ts'
import { enoughHandles, maxHandles } from '../processes/warn-about-open-file-limit.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

// The embedded database keeps spare log files of about this size, and a usage journal is stored next to it.
const enoughBytes = 512 * 1024 * 1024

/** Checks the machine: a writable folder, free disk space, and open files. */
export async function examineMachine({ dataDirectory }: Configuration): Promise<readonly Finding[]> {
  return [await writableFolder(dataDirectory), await freeSpace(dataDirectory), handles()]
}

async function writableFolder(folder: string): Promise<Finding> {
  const about = 'data directory'
  const folderPath = await nearestFolder(folder)
  try {
    await access(folderPath, constants.W_OK | constants.X_OK)
  } catch {
    return problem(
      about,
      `${folderPath} is not writable`,
      'make the directory writable for the user of the gateway, or set FAIRLEAD_DATA_DIRECTORY',
    )
  }
  if (folderPath !== resolve(folder)) return ok(about, `${folder} will be created`)
  const { mode } = await stat(folderPath)
  return (mode & 0o077) === 0
    ? ok(about, `${folder} exists`)
    : warning(about, `${folder} is readable by other users`, `chmod 700 ${folder}`)
}

async function freeSpace(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(await nearestFolder(folder))
  const bytes = bavail * bsize
  const seen = `${Math.floor(bytes / 1_048_576)} MiB free`
  return bytes >= enoughBytes ? ok('disk', seen) : warning('disk', seen, 'free at least 512 MiB')
}

function handles(): Finding {
  const limit = maxHandles()
  if (limit === undefined) return ok('open files', 'limit unknown')
  const seen = `at most ${limit}`
  return limit >= enoughHandles
    ? ok('open files', seen)
    : warning('open files', seen, `raise the limit to ${enoughHandles} (ulimit -n, LimitNOFILE=)`)
}

async function nearestFolder(folder: string): Promise<string> {
  let folderPath = resolve(folder)
  for (;;) {
    const found = await stat(folderPath).catch(() => undefined)
    const parent = dirname(folderPath)
    if (found || parent === folderPath) return folderPath
    folderPath = parent
  }
}
