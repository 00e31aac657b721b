import { bundle as bundleDocument, loadConfig } from '@redocly/openapi-core'
import { join, relative } from 'node:path'
import { specsRoot, workspaceRoot } from './families.ts'
import { withoutPolicies } from './policy-extension.ts'

/** A JSON object of a specification. */
export type Json = Record<string, unknown>

/**
 * Bundles the files of one OpenAPI or OpenRPC document, without the policies of the gateway. Schemas of other files
 * become components named after them.
 *
 * @throws Error naming the file and position of each unresolved reference
 */
export async function bundle(entry: string): Promise<Json> {
  return withoutPolicies(await bundleWithPolicies(entry))
}

/** As {@link bundle}, with the policies of the gateway. */
export async function bundleWithPolicies(entry: string): Promise<Json> {
  const { bundle: document, problems } = await bundleDocument({
    ref: entry,
    config: await loadConfig({ configPath: join(specsRoot, 'redocly.yaml') }),
  })
  const errors = problems.filter((problem) => problem.severity === 'error')
  if (errors.length > 0) {
    const lines = errors.map(({ message, location }) => {
      const at = location[0]
      return `${at ? relative(workspaceRoot, at.source.absoluteRef) : entry} ${at?.pointer ?? ''}: ${message}`
    })
    throw new Error(`the files cannot be joined\n${lines.map((line) => `  ${line}`).join('\n')}`)
  }
  return document.parsed as Json
}
