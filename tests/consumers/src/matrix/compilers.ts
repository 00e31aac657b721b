import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clientFolders } from '../packed-package.ts'
import type { Project } from './project.ts'
import type { Results } from './results.ts'
import { run } from './run.ts'

/** How a compiler resolves packages. */
export const resolutions = ['nodenext', 'bundler'] as const

/** The compiler options of a strict project that also checks the declarations of its packages. */
function compilerOptions(resolution: (typeof resolutions)[number]): object {
  return {
    module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
    moduleResolution: resolution,
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  }
}

/** The code snippets of a README. */
export function snippetsOf(readme: string): readonly string[] {
  return [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code)
}

/**
 * Writes the files to compile: programs that are already in the project, the snippets of all READMEs, and the settings.
 */
export async function writePrograms({ root }: Pick<Project, 'root'>): Promise<void> {
  for (const folder of clientFolders) {
    const readme = await readFile(join(root, 'node_modules/@fairlead', folder, 'README.md'), 'utf8')
    for (const [index, code] of snippetsOf(readme).entries())
      await writeFile(join(root, `readme-${folder}-${index}.ts`), code)
  }
  for (const resolution of resolutions) {
    const settings = { compilerOptions: compilerOptions(resolution), include: ['*.ts'] }
    await writeFile(join(root, `tsconfig.${resolution}.json`), JSON.stringify(settings))
  }
}

/** Compiles the programs and returns the result of each package. */
export async function compile(
  { root }: Project,
  compiler: string,
  resolution: (typeof resolutions)[number],
): Promise<Results> {
  const args = [compiler, '-p', `tsconfig.${resolution}.json`]
  const { code, output } = await run(process.execPath, args, { cwd: root })
  return code === 0 ? resultsOf('') : resultsOf(output)
}

/** Assigns each error to the package that it names. An error that names no package counts for all. */
export function resultsOf(output: string): Results {
  const errors = output.split('\n').filter((line) => /error TS\d+/.test(line))
  const isAbout = (folder: string) => (line: string) =>
    new RegExp(`@fairlead[/+]${folder}[/@'"]|^readme-${folder}-\\d+\\.ts`).test(line)
  const isOwned = (line: string) => clientFolders.some((folder) => isAbout(folder)(line))
  const shared = errors.length === 0 && output !== '' ? [output] : errors.filter((line) => !isOwned(line))
  return Object.fromEntries(
    clientFolders.map((folder) => [folder, [...errors.filter(isAbout(folder)), ...shared][0] ?? 'pass']),
  )
}
