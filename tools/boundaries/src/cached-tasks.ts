import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** A task whose result turbo stores. */
export interface CachedTask {
  /** Such as `@fairlead/core#test`. */
  readonly name: string
  /** The script of the package. */
  readonly command: string
  /** Absolute path of the package. */
  readonly folder: string
  /** Absolute paths of the files whose change makes the task run again. */
  readonly inputs: ReadonlySet<string>
}

interface Task {
  readonly taskId: string
  readonly command: string
  readonly directory: string
  readonly inputs: Readonly<Record<string, string>>
  readonly dependencies: readonly string[]
  readonly resolvedTaskDefinition: { readonly cache: boolean }
}

interface DryRun {
  readonly globalCacheInputs: { readonly files: Readonly<Record<string, string>> }
  readonly tasks: readonly Task[]
}

/**
 * Reads the tasks whose results turbo stores. The inputs of a task contain those of the tasks on which it depends.
 *
 * @param root - absolute path of the repository
 * @param names - the tasks to run
 * @throws Error if turbo fails
 */
export function readCachedTasks(root: string, ...names: readonly string[]): readonly CachedTask[] {
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/turbo'),
    ['run', ...names, '--dry=json'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
    },
  )
  if (status !== 0) throw new Error(`turbo failed: ${stderr}`)
  const { globalCacheInputs, tasks } = JSON.parse(stdout) as DryRun
  const byName = new Map(tasks.map((task) => [task.taskId, task]))
  const withDependencies = (name: string): readonly Task[] => {
    const reached = new Set([name])
    // A set also visits what is added meanwhile.
    for (const each of reached)
      for (const dependency of byName.get(each)?.dependencies ?? []) reached.add(dependency)
    return [...reached].flatMap((each) => byName.get(each) ?? [])
  }
  const global = Object.keys(globalCacheInputs.files).map((path) => join(root, path))
  return tasks
    .filter(
      ({ command, resolvedTaskDefinition }) => command !== '<NONEXISTENT>' && resolvedTaskDefinition.cache,
    )
    .map(({ taskId, command, directory }) => ({
      name: taskId,
      command,
      folder: join(root, directory),
      inputs: new Set([...global, ...withDependencies(taskId).flatMap((task) => inputsOf(task, root))]),
    }))
}

function inputsOf({ directory, inputs }: Task, root: string): readonly string[] {
  return Object.keys(inputs).map((path) => join(root, directory, path))
}
