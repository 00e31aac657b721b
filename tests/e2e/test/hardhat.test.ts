import { createHardhatRuntimeEnvironment } from 'hardhat/hre'
import { inject, expect, it } from 'vitest'

const {
  nodes: [node],
} = inject('development')

// The second of the well-known development accounts. The chain funds it at its start.
const privateKey = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'
const sender = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

// Stores its call data, and returns it when it is called without data.
const initCode = '0x60128060095f395ff336600c575f545f5260205ff35b5f355f5500'

interface Receipt {
  readonly status: string
  readonly contractAddress: string
}

it('deploys a contract and calls it with accounts of hardhat', async () => {
  const { network } = await createHardhatRuntimeEnvironment({
    networks: {
      gateway: {
        type: 'http',
        url: `${node.node_url}/${node.token}`,
        accounts: [privateKey],
        chainType: 'l1',
      },
    },
  })
  const { provider } = await network.create('gateway')
  expect(await provider.request({ method: 'eth_chainId' })).toBe('0x7a69')
  const send = async (transaction: object): Promise<Receipt> => {
    const hash = await provider.request({
      method: 'eth_sendTransaction',
      params: [{ from: sender, ...transaction }],
    })
    for (;;) {
      const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
      if (receipt) return receipt as Receipt
    }
  }
  const { contractAddress, status } = await send({ data: initCode })
  expect(status).toBe('0x1')
  const value = `0x${'2a'.padStart(64, '0')}`
  expect(await send({ to: contractAddress, data: value })).toMatchObject({ status: '0x1' })
  const stored = await provider.request({ method: 'eth_call', params: [{ to: contractAddress }, 'latest'] })
  expect(stored).toBe(value)
})
