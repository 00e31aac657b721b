// What each package does for a program that calls a running gateway. The program loads the packages in its own way.

const chainId = '0x7a69'

function expect(seen, expected) {
  if (seen !== expected) throw new Error(`${JSON.stringify(seen)} instead of ${JSON.stringify(expected)}`)
}

const access = ({ node_url: url, token }) => ({ url, auth: { kind: 'token', token } })

/** By the names of the packages' folders. */
const calls = {
  async core({ core }, { nodes: [node] }) {
    const { auth } = access(node)
    const { url, secrets } = core.nodeAddress('evm', node.node_url, auth)
    const send = core.createHttpTransport({}, secrets)
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
    const call = { operation: 'eth_chainId', url, init, idempotent: true }
    expect((await send(call, (response) => response.json())).result, chainId)
  },

  async 'platform-client'({ platform }, { base_url: baseUrl, api_key: apiKey, organization_id }) {
    const client = platform.createPlatformClient({ baseUrl, apiKey })
    expect((await platform.unwrap(client.GET('/v1/organization/'))).id, organization_id)
    for await (const { id } of platform.projects(client)) expect(typeof id, 'string')
  },

  async 'evm-rpc'({ evm, actions }, { nodes: [node] }) {
    const client = evm.createEvmClient(access(node))
    expect(await client.request({ method: 'eth_chainId' }), chainId)
    expect((await actions.eth_getBlockByNumber(client, '0x0', false)).number, '0x0')
    const refused = await client
      .request({ method: 'eth_call', params: [{ to: '0x12' }] })
      .catch((error) => error)
    expect(evm.FairleadError.is(refused, 'RPC_ERROR'), true)
  },

  async beacon({ beacon }, { nodes: [, node] }) {
    const client = beacon.createBeaconClient(access(node))
    const params = { path: { block_id: 'head' } }
    const { data } = await beacon.unwrap(client.GET('/eth/v1/beacon/headers/{block_id}', { params }))
    const { bytes } = await beacon.getSsz(client, '/eth/v2/beacon/blocks/{block_id}', {
      params: { path: { block_id: data.root } },
    })
    // An offset of 4 bytes and a signature of 96 come before the message, which begins with its slot.
    const slot = new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(100, true)
    expect(String(slot), data.header.message.slot)
  },

  async jetton({ jettonV2, jettonV3 }, { nodes: [, , node] }) {
    const param = await jettonV2.createJettonV2Client(access(node)).call({
      method: 'getConfigParam',
      params: { config_id: 15 },
    })
    expect(param.config_id, 15)
    const index = jettonV3.createJettonV3Client(access(node))
    const { jetton_masters } = await jettonV3.unwrap(index.GET('/api/v3/jetton/masters'))
    expect(jetton_masters.length > 0, true)
  },

  async 'grpc-transport'({ transport, createTransport }, { nodes: [, , , node] }) {
    const connection = createTransport(node.grpc_url)
    const start = { path: '/geyser.Geyser/GetVersion', metadata: { 'x-token': node.x_token } }
    const { message } = await transport.callUnary(connection, start, new Uint8Array())
    await connection.close()
    expect(message.length > 0, true)
  },

  async grpc({ createGrpcClient, geyser }, { nodes: [, , , node] }) {
    const client = createGrpcClient(geyser.GeyserDefinition, {
      url: node.grpc_url,
      auth: { kind: 'x-token', token: node.x_token },
    })
    const { slot } = await client.getSlot({})
    await client.close()
    expect(slot > 0n, true)
  },

  async sdk({ sdk }, { base_url: baseUrl, api_key: apiKey, organization_id, nodes: [node] }) {
    const fairlead = sdk.createFairlead({ baseUrl, apiKey })
    expect((await sdk.unwrap(fairlead.platform.GET('/v1/organization/'))).id, organization_id)
    expect(await fairlead.node(access(node)).evm.request({ method: 'eth_chainId' }), chainId)
  },
}

/** Makes every call and reports the outcome by package, as JSON: `pass` or the failure. */
export async function report(modules, gateway) {
  const results = Object.entries(calls).map(async ([name, call]) => {
    try {
      await call(modules, gateway)
      return [name, 'pass']
    } catch (error) {
      return [name, String(error)]
    }
  })
  return JSON.stringify(Object.fromEntries(await Promise.all(results)))
}
