import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { repository } from '../pages/page.ts'
import { compile } from '../programs/compile.ts'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

interface Model {
  validate(): void
}

const file = join(repository, 'deploy/kubernetes/fairlead.yaml')
const manifests = parseAllDocuments(readFileSync(file, 'utf8')).map((document) => document.toJS() as Manifest)
const moduleOf = ({ apiVersion, kind }: Manifest) => `kubernetes-models/${apiVersion}/${kind}`

async function modelOf(manifest: Manifest): Promise<Model> {
  const models = (await import(/* @vite-ignore */ moduleOf(manifest))) as Record<
    string,
    new (data: Manifest) => Model
  >
  const Kind = models[manifest.kind]
  if (Kind === undefined) throw new Error(`there is no kind ${manifest.kind}`)
  return new Kind(manifest)
}

describe('the manifests of Kubernetes', () => {
  it.each(manifests.map((manifest) => [manifest.kind, manifest] as const))(
    'match the schema: %s',
    async (_, manifest) => {
      const model = await modelOf(manifest)
      expect(() => model.validate()).not.toThrow()
    },
  )

  it('are refused when they are not', async () => {
    const deployment = manifests.find(({ kind }) => kind === 'Deployment')
    const broken = { ...deployment, spec: { replicas: 'three' } } as unknown as Manifest
    const model = await modelOf(broken)
    expect(() => model.validate()).toThrow()
  })

  // The schemas accept unknown fields. The compiler does not.
  it('have no field that Kubernetes does not have', async () => {
    const folder = mkdtempSync(join(resolve(import.meta.dirname, '../..'), '.programs-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    for (const manifest of manifests) {
      const { apiVersion: _apiVersion, kind, ...fields } = manifest
      const text = `import { ${kind} } from '${moduleOf(manifest)}'\nnew ${kind}(${JSON.stringify(fields)})\n`
      writeFileSync(join(folder, `${kind}.ts`), text)
    }
    expect(await compile(folder)).toBe('')
  })
})
