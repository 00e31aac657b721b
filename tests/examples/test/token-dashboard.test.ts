import { expect, it } from 'vitest'
import { call, evmNode, transfers } from './evm.ts'
import { run, start } from './example.ts'

/** Formats an amount in tokens. The sample token has 18 decimals. */
function inTokens(units: bigint): string {
  const digits = units.toString().padStart(19, '0')
  const fraction = digits.slice(-18).replace(/0+$/, '')
  return `${digits.slice(0, -18)}${fraction && `.${fraction}`} FLS`
}

async function balanceOf(account: string): Promise<bigint> {
  const data = `0x70a08231${account.slice(2).padStart(64, '0')}`
  return BigInt(await call<string>('eth_call', { to: evmNode().example['contract'], data }, 'latest'))
}

it('shows the token of the chain, and exits', async () => {
  const { code, lines } = await run(['token-dashboard', '--count', '1'])
  expect(code).toBe(0)
  const height = Number(await call<string>('eth_blockNumber'))
  expect(lines[0]).toBe(`Fairlead Sample (FLS), 18 decimals, at block ${height}`)
  expect(lines[1]).toBe('supply    1000000 FLS')
  const { account = '', recipient = '' } = evmNode().example
  for (const [position, owner] of [account, recipient].entries()) {
    const line = lines[2 + position] ?? ''
    expect(line.toLowerCase()).toContain(owner.toLowerCase())
    expect(line).toContain(`  ${inTokens(await balanceOf(owner))}`)
  }
  const latest = (await transfers()).at(-1)
  expect(lines[4]).toContain(`${inTokens(BigInt(latest?.data ?? 0))}  block ${Number(latest?.blockNumber)}`)
  expect(lines).toHaveLength(9)
})

it('refreshes with every block, and reports a reorganization', async () => {
  const dashboard = start(['token-dashboard', '--transfers', '1'])
  await dashboard.printed(/^transfer/)
  await run(['activity', 'transfers', '--count', '1'])
  await dashboard.printed(/^transfer/, 2)
  await run(['activity', 'reorg', '1'])
  await dashboard.printed(/^reorganization of depth 1$/)
  await dashboard.printed(/^transfer/, 3)
  const latest = (await transfers()).at(-1)
  const { code, lines } = await dashboard.waitForExit('SIGINT')
  expect(code).toBe(0)
  expect(lines.at(-1)).toContain(`  ${inTokens(BigInt(latest?.data ?? 0))}  block `)
  expect(new Set(lines.filter((line) => line.startsWith('transfer'))).size).toBe(3)
})
