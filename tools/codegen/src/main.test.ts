import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workspaceRoot } from './families.ts'

// The command works on the workspace that contains it, so it is tested in a copy of the parts that it reads: two small
// families, one of each kind of document from which it generates most.
let copy: string

beforeAll(async () => {
  copy = await realpath(await mkdtemp(join(tmpdir(), 'fairlead-codegen-')))
  const families = JSON.parse(await readFile(join(workspaceRoot, 'specs/families.json'), 'utf8')) as {
    families: Record<string, { directory: string; documents: { kind: string }[] }>
  }
  const { platform, jetton } = families.families
  if (!platform || !jetton) throw new Error('the families of this test are missing')
  const shared = ['specs/redocly.yaml', 'specs/bounded-input.mjs', 'specs/tuples.mjs', 'tools/codegen/src']
  for (const path of ['specs/platform', 'specs/jetton', ...shared]) await copied(path)
  for (const { directory } of [platform, jetton]) {
    await copied(join(directory, 'package.json'))
  }
  await copied('tools/codegen/package.json')
  await symlink(join(workspaceRoot, 'tools/codegen/node_modules'), join(copy, 'tools/codegen/node_modules'))
  const documents = jetton.documents.filter(({ kind }) => kind === 'openrpc')
  const small = { platform, jetton: { ...jetton, documents } }
  await writeFile(join(copy, 'specs/families.json'), JSON.stringify({ families: small }))
  await codegen()
})

afterAll(() => rm(copy, { recursive: true, force: true }))

async function copied(path: string): Promise<void> {
  await mkdir(dirname(join(copy, path)), { recursive: true })
  await cp(join(workspaceRoot, path), join(copy, path), { recursive: true })
}

function codegen(...flags: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(copy, 'tools/codegen/src/main.ts'), ...flags],
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr })
      },
    )
  })
}

/** Changes a file of the copy while `during` runs. */
async function withChanged<result>(
  path: string,
  change: (text: string) => string,
  during: () => Promise<result>,
): Promise<result> {
  const file = join(copy, path)
  const before = await readFile(file, 'utf8')
  const after = change(before)
  expect(after).not.toBe(before)
  await writeFile(file, after)
  try {
    return await during()
  } finally {
    await writeFile(file, before)
  }
}

describe('codegen --check', () => {
  it('passes after generation', async () => {
    const { code, output } = await codegen('--check')
    expect(output).toMatch(/^platform: fresh \(\d+ ms\)\njetton: fresh \(\d+ ms\)\n$/)
    expect(code).toBe(0)
  })

  it('lists the files that are stale after a specification change', async () => {
    const change = (text: string) => text.replace('format: email', 'format: idn-email')
    const { code, output } = await withChanged('specs/platform/schemas/Creator.yaml', change, () =>
      codegen('--check'),
    )
    expect(output).toContain('platform: stale')
    expect(output).toContain('  packages/platform-client/src/generated/contract.ts\n')
    expect(output).toContain('jetton: fresh')
    expect(code).toBe(1)
  })

  it('lists a generated file that was edited', async () => {
    const file = 'packages/platform-client/src/generated/contract.ts'
    const { code, output } = await withChanged(
      file,
      (text) => `${text}// by hand\n`,
      () => codegen('--check'),
    )
    expect(output).toMatch(
      /platform: stale .*\n {2}packages\/platform-client\/src\/generated\/contract\.ts\njetton: fresh/,
    )
    expect(code).toBe(1)
  })

  it('lists a file that is not generated', async () => {
    const file = join(copy, 'packages/jetton/src/generated/left-over.ts')
    await writeFile(file, '')
    const { code, output } = await codegen('--check')
    await rm(file)
    expect(output).toContain('  packages/jetton/src/generated/left-over.ts\n')
    expect(code).toBe(1)
  })
})

describe('the policies of the gateway', () => {
  const method = 'specs/evm/methods/eth/eth_getLogs.yaml'
  const policies = 'packages/gateway-evm/src/generated/method-policies.ts'

  // Runs with the EVM family alone, whose generated code is copied.
  const withEvm = async (change: (text: string) => string, flags: readonly string[]) => {
    const source = JSON.parse(await readFile(join(workspaceRoot, 'specs/families.json'), 'utf8')) as {
      families: Record<string, object>
    }
    const families = JSON.stringify({ families: { evm: source.families['evm'] } })
    for (const path of [
      'specs/evm',
      policies,
      'packages/evm-rpc/package.json',
      'packages/evm-rpc/src/generated',
    ])
      await copied(path)
    return withChanged(
      'specs/families.json',
      () => families,
      () => withChanged(method, change, () => codegen(...flags)),
    )
  }

  it('change only the private package', async () => {
    const { code, output } = await withEvm((text) => text.replace('units: 1', 'units: 2'), ['--check'])
    expect(output).toMatch(new RegExp(`^evm: stale \\(\\d+ ms\\)\n {2}${policies}\nGenerated code differs`))
    expect(code).toBe(1)
  })

  it('are written when only they changed', async () => {
    const { output } = await withEvm((text) => text.replace('units: 1', 'units: 2'), ['--if-stale'])
    expect(output).toMatch(/^evm: written/)
    expect(await readFile(join(copy, policies), 'utf8')).toContain(
      'eth_getLogs: {\n    latencyClass: "long",\n    cost: { units: 2, isExpensive: true },',
    )
  })

  it('are required of each method', async () => {
    const { code, output } = await withEvm((text) => text.replace('  role: archive\n', ''), ['--check'])
    expect(output).toBe(`specs/evm/openrpc.yaml: eth_getLogs: x-gateway must have required property 'role'\n`)
    expect(code).toBe(1)
  })
})

describe('codegen --if-stale', () => {
  it('writes only the families whose specifications changed', async () => {
    expect((await codegen('--if-stale')).output).toBe('')
    const { output, text } = await withChanged(
      'specs/jetton/schemas/ConfigId.yaml',
      (before) => before.replace('type: integer', 'type: integer\nminimum: 0'),
      async () => {
        const run = await codegen('--if-stale')
        return {
          ...run,
          text: await readFile(join(copy, 'packages/jetton/src/generated/contract.ts'), 'utf8'),
        }
      },
    )
    expect(output).toMatch(/^jetton: written/)
    expect(text).toContain('minimum: 0')
    expect((await codegen('--if-stale')).output).toMatch(/^jetton: written/)
    expect((await codegen('--check')).code).toBe(0)
  })
})

describe('codegen', () => {
  it('reports file and location of an unresolved reference', async () => {
    const change = (text: string) => text.replace('Organization.yaml', 'Organisation.yaml')
    const { code, output } = await withChanged('specs/platform/schemas/Creator.yaml', change, () =>
      codegen('--check'),
    )
    expect(output).toContain('specs/platform/openapi.yaml: the files cannot be joined')
    expect(output).toContain(
      "  specs/platform/schemas/Creator.yaml #/properties/organization: Can't resolve $ref",
    )
    expect(output).not.toContain('    at ')
    expect(code).toBe(1)
  })

  it('reports file and location of invalid OpenRPC', async () => {
    const change = (text: string) =>
      text.replace('  schema:\n    $ref: ../../schemas/v2/JsonRpcConfigParam.yaml\n', '')
    const { code, output } = await withChanged('specs/jetton/methods/v2/getConfigParam.yaml', change, () =>
      codegen('--check'),
    )
    expect(output).toContain('specs/jetton/v2.openrpc.yaml: ')
    expect(output).toMatch(
      /methods\[\d+\]\.result \(getConfigParam\): should have required property 'schema'/,
    )
    expect(output).not.toContain('    at ')
    expect(code).toBe(1)
  })

  it('prints its usage', async () => {
    expect((await codegen('--help')).output).toContain('--if-stale')
  })
})
