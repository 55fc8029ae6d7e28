/**
 * The words of programs and of their failures that are one token of `o200k_base` each: in this form, capitalized, and
 * after a space. A test counts them with the exact tokenizer.
 */
export const ONE_TOKEN_WORDS: ReadonlySet<string> = new Set(
  `
    about above absolute accept accepted access account ack act action activate activation active activity add added
    address addresses adds admin after again against age agent alert alerts alive all allow allowed allows already
    also always and android anonymous another answer answers any anything api app apple application apply are
    argument around array asked assets async attempt attribute attributes auth authority authorization auto
    availability available await back backend background backup bad balanced bare base batch because before behind
    below bench between billing bits block blocks body boolean bot both bound bounds branch brand breadcrumb break
    broken browser bucket budget buffer build built bundle business but button buy byte bytes cache call callback
    called caller calls can cannot capacity capture card carry cart case cause chain change changed changes channel
    channels chapter char character characters charge charges check checked checkout checks child choose chrome
    claim class clean cli click client clients clock close closed code codes color column com come command commands
    commit commons compare complete condition conditions confidence config configuration confirmation connect
    connected connection connections console const constraint container containers contains content context continue
    contract control controller cookie copy core cors cost could count counter country counts create created
    credential credentials critical cross crypto css curl currency current cursor custom customer cut dashboard data
    database date day days dead debug decision default defaults delete deleted delivery demo dependencies dependency
    deploy deployment depth description desktop dest destination detail details device did different digit direct
    directory dirty disabled disk docs doctor document does dom done down draft drop due duplicate duration each
    effect effective eight either element else email embedded empty enabled encode encoding end endpoint ends engine
    entries entry env environment episode equal equals error errors estimate event events every everything exact
    example except exception exceptions exchange exec exist exists exit expect expected export express external
    extra extras fact facts fail failed failure false fatal fault feature fetch field fields file files filled
    filter filters final find first fit five fix fixed flat floor flush focus folder for foreign form format forms
    found four fragment frame frames framework free from full function generated generation generator get gets git
    github give given group groups guard guest half hand handle handles handling has hash have head header headers
    health heap height help here hex hidden high highest history hold host hour hours how html http hub identifier
    identity ignore impact import inc incident included includes index info init input inputs inside inspect install
    instead instructions int integer interaction interface internal interval into invalid invite iso item items its
    java javascript job jobs join json keep key keys kind known label lane language large last late later latest
    leading least ledger left length let letters level levels lib libraries library like limit limited limits line
    lines link links linux list listed listen listener lists live load loaded local log logged logger login logs
    long look loop loss lost low lower machine made mail main makes manual many map maps mark marks match matcher
    matches matching material math max may meaning means medium member members membership memory message messages
    metadata method methods metrics middle min minimal minute minutes missing mixed mobile mode module month monthly
    more most msg must name named names need needed needs network never new next nil node nodes non none normalize
    not note notes nothing notifications now null number numbers object objects off offer offset old older once one
    only open operation operator optional options order orders organization origin other others otherwise our out
    output outside over own owner package packages page pages pair param parameter parameters parse parsed part
    parts party pass passed password patch path paths pattern patterns payload payment pending people per person php
    pieces pipeline pixel place places plain plan plans platform plus points policy poll port position possible post
    posting prefix present preview previous price primary private probe process product production products profile
    program progress project projects promise properties property provider proxy public published push python query
    queue quick quote race random range rank rate rates ratio raw react read reader reading reads ready real reason
    receive received recent recommended record redirect reference refresh region relation relative relay release
    remote removed replace report reports req request requests required reserve reset resolution resolve resource
    response rest restore result results retry return returned returns right role roles root route routes row rows
    ruby rule rules run running runs runtime safe sale same sample samples sampling say scan schedule schema scheme
    scope screen script search second seconds secret section sections see seed seen segment selector self send
    sending sent sentence serve server servers service services session set setting settings severity sha shape
    share shared shell shipping shop short show shows side sign signal signals signature signed signup silent since
    single site size slice slow small solo some something sort sorted source space span spec split src stable stack
    stand standard start started starts state status stay step steps still stock stop storage store stored str
    stream string strings strip structured style subject success such sum summary switch syntax system table tables
    tag tail take taken target task tat team telephone template terminal terms test tests text than that the their
    them theme then there these they this those thread threads three threshold through throw throws time timeout
    times timestamp title token tokens too top total touch trace trail transaction transition trial trigger trim
    true trust try turn two txt type types uint undefined under unexpected unique unit units unknown unless until
    update updated upgrade upper url use used user users uses valid validate value values vendor verification
    verified verify version view visible void wait waiting walk wanted warehouse warn warning was way web weekly
    well went were what when where whether which while who whole why width window windows wins winter wire with
    within without word words work worker works would write writes writing written wrong year yes yet you
  `
    .trim()
    .split(/\s+/),
);
