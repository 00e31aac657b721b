import { generateKeyPairSigner, getBase58Decoder } from '@solana/kit'
import {
  getAdvanceNonceAccountInstruction,
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system'
import { expect, test } from 'vitest'
import { fundedSigner, keyOf, rejectionOf, signed, startChain } from '../../../test/solana.ts'

test('a nonce replaces a blockhash until it is advanced', async () => {
  const chain = await startChain()
  const payer = await fundedSigner(chain)
  const nonce = await generateKeyPairSigner()
  const space = 80n
  const lamports = chain.minimumBalance(space)
  const programAddress = SYSTEM_PROGRAM_ADDRESS
  const create = [
    getCreateAccountInstruction({ payer, newAccount: nonce, lamports, space, programAddress }),
    getInitializeNonceAccountInstruction({ nonceAccount: nonce.address, nonceAuthority: payer.address }),
  ]
  await chain.send(await signed(chain, payer, create))
  const valueOf = () =>
    getBase58Decoder().decode(chain.account(keyOf(nonce.address))?.data.subarray(40, 72) ?? new Uint8Array())
  const advance = getAdvanceNonceAccountInstruction({ nonceAccount: nonce.address, nonceAuthority: payer })
  const blockhash = valueOf()
  for (let block = 0; block < 3; block++) chain.makeSlot()

  const bytes = await signed(chain, payer, [advance], { blockhash })
  expect(await rejectionOf(chain.send(await signed(chain, payer, [], { blockhash })))).toBe('07000000')
  await chain.send(bytes)
  expect(valueOf()).not.toBe(blockhash)
  expect(await rejectionOf(chain.send(bytes))).toBe('07000000')
})
