import { AccountRole, address, generateKeyPairSigner, type Instruction } from '@solana/kit'
import { expect, test } from 'vitest'
import { fundedSigner, hex, keyOf, rejectionOf, signed, sol, startChain } from '../../../test/solana.ts'
import type { EmbeddedSolanaChain } from './embedded-solana-chain.ts'

const system = '11111111111111111111111111111111'
const budget = 'ComputeBudget111111111111111111111111111111'
const lookUp = 'AddressLookupTab1e1111111111111111111111111'
const token = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const clock = 'SysvarC1ock11111111111111111111111111111111'
const unusedAddress = 'E88zcd4cymN5pohWF1VS3SZm2Jkpdq3wg7ahL3RqVjWE'

const call = (program: string, data: readonly number[], ...accounts: readonly string[]): Instruction => ({
  programAddress: address(program),
  data: Uint8Array.from(data),
  accounts: accounts.map((account) => ({ address: address(account), role: AccountRole.WRITABLE })),
})
const oneLamport = [2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
const oneToken = [1, 0, 0, 0, 0, 0, 0, 0]
type Example = EmbeddedSolanaChain['example'] & { readonly payerAddress: string }

// The number of the error; for the error of an instruction also its position and its number; all little endian.
test.each<[name: string, expected: string, (example: Example) => Instruction[]]>([
  [
    'Custom',
    '08000000011900000001000000',
    ({ payerAddress }) => [call(budget, [1, 0, 128, 0, 0]), pay(payerAddress, 100n * sol)],
  ],
  ['InvalidInstructionData', '080000000002000000', () => [call(system, [99, 0, 0, 0])]],
  [
    'InvalidAccountData',
    '080000000003000000',
    (example) => [transferTokens(unusedAddress, example.token_account, example.payerAddress)],
  ],
  [
    'MissingRequiredSignature',
    '080000000007000000',
    ({ payerAddress }) => [call(system, oneLamport, unusedAddress, payerAddress)],
  ],
  [
    'ReadonlyLamportChange',
    '08000000000e000000',
    ({ payerAddress }) => [call(system, oneLamport, payerAddress, clock)],
  ],
  ['MissingAccount', '080000000020000000', () => [call(system, oneLamport)]],
  ['ComputationalBudgetExceeded', '080000000025000000', () => [call(budget, [2, 50, 0, 0, 0])]],
  [
    'InvalidAccountOwner',
    '08000000002e000000',
    (example) => [call(lookUp, [1, 0, 0, 0], example.token_account, example.payerAddress)],
  ],
  ['InsufficientFundsForRent', '1f00000001', ({ payerAddress }) => [pay(payerAddress, 1n)]],
])('%s is encoded as by a Solana node, and the fee is paid', async (_, expected, instructions) => {
  const chain = await startChain()
  const payer = await fundedSigner(chain)
  const calls = instructions({ ...chain.example, payerAddress: payer.address })
  const signature = await chain.send(await signed(chain, payer, calls), { skipPreflight: true })
  expect(hex(chain.statusOf(signature)?.err)).toBe(expected)
  expect(chain.account(keyOf(payer.address))?.lamports).toBeLessThan(10n * sol)
})

test.each<[name: string, expected: string, Instruction[]]>([
  ['InvalidProgramForExecution', '0d000000', [call(unusedAddress, [])]],
  ['DuplicateInstruction', '1e00000001', [call(budget, [2, 50, 0, 0, 0]), call(budget, [2, 60, 0, 0, 0])]],
  [
    'MaxLoadedAccountsDataSizeExceeded',
    '20000000',
    [call(budget, [4, 1, 0, 0, 0]), call(system, oneLamport)],
  ],
  [
    'InvalidLoadedAccountsDataSizeLimit',
    '21000000',
    [call(budget, [4, 0, 0, 0, 0]), call(system, oneLamport)],
  ],
])('%s excludes a transaction from the slot', async (_, expected, instructions) => {
  const chain = await startChain()
  const payer = await fundedSigner(chain)
  const bytes = await signed(chain, payer, instructions)
  expect(await rejectionOf(chain.send(bytes, { skipPreflight: true }))).toBe(expected)
  expect(chain.account(keyOf(payer.address))?.lamports).toBe(10n * sol)
})

test('so does a payer that does not exist, or that another program owns', async () => {
  const chain = await startChain()
  const otherOwner = await generateKeyPairSigner()
  expect(await rejectionOf(chain.send(await signed(chain, otherOwner, [])))).toBe('02000000')
  const payer = await fundedSigner(chain)
  // Assigns the account to the token program.
  const assign = [1, 0, 0, 0, ...keyOf(token)]
  await chain.send(await signed(chain, payer, [call(system, assign, payer.address)]))
  expect(await rejectionOf(chain.send(await signed(chain, payer, [])))).toBe('05000000')
})

function pay(source: string, lamports: bigint): Instruction {
  const amount = Buffer.alloc(8)
  amount.writeBigUInt64LE(lamports)
  return call(system, [2, 0, 0, 0, ...amount], source, unusedAddress)
}

function transferTokens(from: string, to: string, owner: string): Instruction {
  return call(token, [3, ...oneToken], from, to, owner)
}
