import type { DocumentReport, FamilyReport } from '@fairlead/spec-diff'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from './packages.ts'
import { isAtLeast, raiseVersion, scaleBump } from './version.ts'

/** A document whose `info.version` is too low for what changed. */
export interface LowVersion {
  /** Path below the root. */
  readonly file: string
  readonly version: string
  readonly required: string
}

/** Returns the documents whose changes exceed their version bump. */
export function lowVersions(families: readonly FamilyReport[]): readonly LowVersion[] {
  return families.flatMap(({ documents }) =>
    documents.flatMap(({ entry, version: { base, head }, bump }) => {
      if (base === undefined || head === undefined || bump === 'none') return []
      const required = raiseVersion(base, scaleBump(bump, base))
      return isAtLeast(head, required) ? [] : [{ file: `specs/${entry}`, version: head, required }]
    }),
  )
}

const hint = 'Run `pnpm codegen`.'

/** Returns the places where the version of a specification differs from that in the generated code. */
export function unequalVersions(root: string, families: readonly FamilyReport[]): readonly string[] {
  return families.flatMap(({ directory, documents }) => {
    const versioned = documents.filter(({ version }) => version.head !== undefined)
    return [
      ...inManifest(root, directory, versioned),
      ...inCode(root, directory, versioned, documents.length),
    ]
  })
}

function inManifest(
  root: string,
  directory: string,
  documents: readonly DocumentReport[],
): readonly string[] {
  const file = join(root, directory, 'package.json')
  const expected = documents.at(-1)?.version.head
  if (!existsSync(file) || expected === undefined) return []
  const { spec } = JSON.parse(readFileSync(file, 'utf8')) as Manifest
  if (spec === undefined || spec.version === expected) return []
  return [
    `${directory}/package.json has version ${spec.version} of its specification, but the specification has ${expected}. ${hint}`,
  ]
}

function inCode(
  root: string,
  directory: string,
  documents: readonly DocumentReport[],
  count: number,
): readonly string[] {
  return documents.flatMap(({ name, version: { head = '' } }) => {
    const file = `${directory}/src/generated/${count > 1 ? `${name}/` : ''}contract.ts`
    if (!existsSync(join(root, file))) return []
    const found = /specVersion = ["']([^"']+)["']/.exec(readFileSync(join(root, file), 'utf8'))?.[1]
    return found === undefined || found === head
      ? []
      : [
          `${file} was generated from version ${found} of its specification, but the specification has ${head}. ${hint}`,
        ]
  })
}
