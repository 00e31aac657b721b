import { address, generateKeyPairSigner } from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import {
  getInitializeAccount3Instruction,
  getInitializeImmutableOwnerInstruction,
  getInitializeMint2Instruction,
  getInitializeMultisig2Instruction,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token'
import { expect, test } from 'vitest'
import { fundedSigner, lastTransaction, record, signed, startChain } from '../../../test/solana.ts'

const token2022 = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb')

test.each([
  [TOKEN_PROGRAM_ADDRESS, 165n, 9, 1_234_500_000n, 1.2345, '1.2345'],
  [TOKEN_PROGRAM_ADDRESS, 165n, 0, 42n, 42, '42'],
  [token2022, 165n, 2, 5n, 0.05, '0.05'],
  // With an extension, like most accounts of that program.
  [token2022, 170n, 6, 1_000_000n, 1, '1'],
])(
  'tokens of %s in %d bytes with %d decimals',
  async (programAddress, space, decimals, amount, uiAmount, uiAmountString) => {
    const chain = await startChain()
    const payer = await fundedSigner(chain)
    const events = record(chain)
    const [mint, account, multisig] = await Promise.all([1, 2, 3].map(() => generateKeyPairSigner()))
    if (mint === undefined || account === undefined || multisig === undefined)
      throw new Error('three were made')
    const config = { programAddress }
    const create = (newAccount: typeof mint, bytes: bigint) =>
      getCreateAccountInstruction({
        payer,
        newAccount,
        lamports: chain.minimumBalance(bytes),
        space: bytes,
        programAddress,
      })
    const immutable = [getInitializeImmutableOwnerInstruction({ account: account.address }, config)]
    await chain.send(
      await signed(chain, payer, [
        create(mint, 82n),
        getInitializeMint2Instruction({ mint: mint.address, decimals, mintAuthority: payer.address }, config),
        create(account, space),
        ...(space > 165n ? immutable : []),
        getInitializeAccount3Instruction(
          { account: account.address, mint: mint.address, owner: payer.address },
          config,
        ),
        // Neither this nor the mint holds tokens, regardless of the bytes.
        create(multisig, 355n),
        getInitializeMultisig2Instruction(
          { multisig: multisig.address, m: 1, signers: [payer.address] },
          config,
        ),
      ]),
    )
    await chain.send(
      await signed(chain, payer, [
        getMintToInstruction(
          { mint: mint.address, token: account.address, mintAuthority: payer, amount },
          config,
        ),
      ]),
    )
    const meta = lastTransaction(events).transaction.meta
    const expected = { mint: mint.address, owner: payer.address, programId: programAddress }
    const zero = { amount: '0', decimals, uiAmount: 0, uiAmountString: '0' }
    expect(meta?.preTokenBalances).toMatchObject([{ ...expected, uiTokenAmount: zero }])
    const uiTokenAmount = { amount: String(amount), decimals, uiAmount, uiAmountString }
    expect(meta?.postTokenBalances).toMatchObject([{ ...expected, uiTokenAmount }])
  },
)
