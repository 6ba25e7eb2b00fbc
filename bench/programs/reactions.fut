-- | Chemistry of the lower atmosphere in many boxes: how fast each of about
-- a hundred reactions goes, and what that makes of each species. The long
-- functions are as a preprocessor for mechanisms writes them, line by line;
-- what is around them is written by hand.
-- ==
-- entry: test_balance test_night test_agree test_boxes
-- input { 298.0 } output { true }
-- input { 250.0 } output { true }

-- | The amounts of all species, in molecules per cubic centimetre.
type amounts = {
  o: f64,
  o1d: f64,
  o3: f64,
  oh: f64,
  ho2: f64,
  h2o2: f64,
  no: f64,
  no2: f64,
  no3: f64,
  n2o5: f64,
  hno3: f64,
  hno4: f64,
  hono: f64,
  co: f64,
  ch4: f64,
  ch3o2: f64,
  ch3ooh: f64,
  hcho: f64,
  ch3oh: f64,
  c2h6: f64,
  c2h5o2: f64,
  c2h5ooh: f64,
  ch3cho: f64,
  ch3co3: f64,
  pan: f64,
  c2h4: f64,
  c3h6: f64,
  isop: f64,
  isopo2: f64,
  mvk: f64,
  macr: f64,
  mgly: f64,
  so2: f64,
  h2so4: f64,
  dms: f64,
  cl: f64,
  clo: f64,
  hcl: f64,
  clono2: f64,
  hocl: f64,
  br: f64,
  bro: f64,
  hbr: f64,
  brono2: f64,
  hobr: f64
}

-- | What is the same for all species of a box.
type weather = {temperature: f64, air: f64, water: f64, sun: f64}

def arrhenius (a: f64) (e: f64) (t: f64): f64 = a * f64.exp (-e / t)

-- | Reactions that need a third body: between the limits of thin and of dense air.
def troe (k0: f64) (n: f64) (kinf: f64) (t: f64) (air: f64): f64 =
  let low = k0 * (t / 300) ** (-n) * air
  let ratio = low / kinf
  let blend = 1 / (1 + f64.log10 ratio ** 2)
  in low / (1 + ratio) * 0.6 ** blend

-- | How bright a reaction finds the sun.
def photolysis (j: f64) (sun: f64): f64 = if sun <= 0 then 0 else j * f64.exp (-0.6 / (sun + 0.05))

-- | How fast each species changes.
def tendencies (w: weather) (c: amounts): amounts =
  let t = w.temperature
  let m = w.air
  -- How fast each reaction goes.
  let k1 = photolysis 0.00048 w.sun
  let k2 = photolysis 0.035 w.sun
  let k3 = photolysis 0.009 w.sun
  let k4 = photolysis 0.15 w.sun
  let k5 = photolysis 0.02 w.sun
  let k6 = photolysis 3e-5 w.sun
  let k7 = photolysis 6e-7 w.sun
  let k8 = photolysis 5e-6 w.sun
  let k9 = photolysis 0.0019 w.sun
  let k10 = photolysis 7e-6 w.sun
  let k11 = photolysis 3e-5 w.sun
  let k12 = photolysis 4.5e-5 w.sun
  let k13 = photolysis 5e-6 w.sun
  let k14 = photolysis 5e-6 w.sun
  let k15 = photolysis 6e-7 w.sun
  let k16 = photolysis 0.00014 w.sun
  let k17 = photolysis 2e-6 w.sun
  let k18 = photolysis 4e-6 w.sun
  let k19 = photolysis 0.0022 w.sun
  let k20 = photolysis 4e-5 w.sun
  let k21 = photolysis 0.00028 w.sun
  let k22 = photolysis 0.04 w.sun
  let k23 = photolysis 0.0013 w.sun
  let k24 = photolysis 0.0023 w.sun
  let k25 = photolysis 5e-6 w.sun
  let k26 = 6e-34 * (t / 300) ** (-2.4) * m * 0.21 * m
  let k27 = arrhenius 8e-12 (2060) t
  let k28 = arrhenius 1.63e-10 (-60) t * w.water
  let k29 = arrhenius 2.15e-11 (-110) t * 0.78 * m
  let k30 = arrhenius 1.7e-12 (940) t
  let k31 = arrhenius 1e-14 (490) t
  let k32 = arrhenius 3e-11 (-200) t
  let k33 = arrhenius 2.2e-11 (-120) t
  let k34 = arrhenius 4.8e-11 (-250) t
  let k35 = arrhenius 3e-13 (-460) t
  let k36 = 1.8e-12
  let k37 = arrhenius 3e-12 (1500) t
  let k38 = arrhenius 1.2e-13 (2450) t
  let k39 = arrhenius 3.3e-12 (-270) t
  let k40 = arrhenius 1.5e-11 (-170) t
  let k41 = troe 2e-30 3 2.5e-11 t m
  let k42 = troe 1e-30 3 1e-11 t m / (2.7e-27 * f64.exp (11000 / t))
  let k43 = troe 1.8e-30 3 2.8e-11 t m
  let k44 = troe 7e-31 2.6 3.6e-11 t m
  let k45 = troe 1.9e-31 3.4 4e-12 t m
  let k46 = troe 1e-30 3 1e-11 t m / (2.1e-27 * f64.exp (10900 / t))
  let k47 = arrhenius 2.4e-14 (-460) t
  let k48 = arrhenius 1.3e-12 (-380) t
  let k49 = arrhenius 1.8e-11 (390) t
  let k50 = arrhenius 5.1e-12 (-210) t
  let k51 = 3.5e-12
  let k52 = 1.5e-13
  let k53 = arrhenius 2.45e-12 (1775) t
  let k54 = arrhenius 2.8e-12 (-300) t
  let k55 = arrhenius 4.1e-13 (-750) t
  let k56 = arrhenius 9.5e-14 (-390) t
  let k57 = arrhenius 3.8e-12 (-200) t
  let k58 = arrhenius 5.5e-12 (-125) t
  let k59 = arrhenius 2.9e-12 (345) t
  let k60 = 5.8e-16
  let k61 = arrhenius 7.66e-12 (1020) t
  let k62 = arrhenius 2.6e-12 (-365) t
  let k63 = arrhenius 7.5e-13 (-700) t
  let k64 = arrhenius 3e-12 (-190) t
  let k65 = arrhenius 4.63e-12 (-350) t
  let k66 = arrhenius 1.4e-12 (1900) t
  let k67 = arrhenius 8.1e-12 (-270) t
  let k68 = troe 9.7e-29 5.6 9.3e-12 t m
  let k69 = troe 1e-30 3 1e-11 t m / (9e-29 * f64.exp (14000 / t))
  let k70 = arrhenius 4.3e-13 (-1040) t
  let k71 = troe 1e-28 4.5 8.8e-12 t m
  let k72 = arrhenius 1.2e-14 (2630) t
  let k73 = troe 8e-27 3.5 3e-11 t m
  let k74 = arrhenius 6.5e-15 (1900) t
  let k75 = arrhenius 3.1e-11 (-350) t
  let k76 = arrhenius 1.03e-14 (1995) t
  let k77 = arrhenius 3.15e-12 (450) t
  let k78 = arrhenius 2.7e-12 (-350) t
  let k79 = arrhenius 2.05e-13 (-1300) t
  let k80 = arrhenius 2.6e-12 (-610) t
  let k81 = arrhenius 8e-12 (-380) t
  let k82 = arrhenius 8.5e-16 (1520) t
  let k83 = arrhenius 1.4e-15 (2100) t
  let k84 = arrhenius 8.4e-13 (-830) t
  let k85 = troe 3.3e-31 4.3 1.6e-12 t m
  let k86 = arrhenius 1.1e-11 (240) t
  let k87 = arrhenius 1.9e-13 (-520) t
  let k88 = arrhenius 2.3e-11 (200) t
  let k89 = arrhenius 7.1e-12 (1270) t
  let k90 = arrhenius 2.8e-11 (-85) t
  let k91 = arrhenius 6.4e-12 (-290) t
  let k92 = troe 1.8e-31 3.4 1.5e-11 t m
  let k93 = arrhenius 2.6e-12 (-290) t
  let k94 = arrhenius 1.8e-12 (250) t
  let k95 = arrhenius 3e-12 (500) t
  let k96 = arrhenius 1.7e-11 (800) t
  let k97 = arrhenius 8.8e-12 (-260) t
  let k98 = troe 5.2e-31 3.2 6.9e-12 t m
  let k99 = arrhenius 4.5e-12 (-460) t
  let k100 = arrhenius 1.5e-12 (-230) t
  let k101 = arrhenius 9.5e-13 (-550) t
  let k102 = arrhenius 4.8e-12 (310) t
  let k103 = arrhenius 5.5e-12 (-200) t
  let r1 = k1 * c.o3
  let r2 = k2 * c.o3
  let r3 = k3 * c.no2
  let r4 = k4 * c.no3
  let r5 = k5 * c.no3
  let r6 = k6 * c.n2o5
  let r7 = k7 * c.hno3
  let r8 = k8 * c.hno4
  let r9 = k9 * c.hono
  let r10 = k10 * c.h2o2
  let r11 = k11 * c.hcho
  let r12 = k12 * c.hcho
  let r13 = k13 * c.ch3ooh
  let r14 = k14 * c.ch3cho
  let r15 = k15 * c.pan
  let r16 = k16 * c.mgly
  let r17 = k17 * c.mvk
  let r18 = k18 * c.macr
  let r19 = k19 * c.clo
  let r20 = k20 * c.clono2
  let r21 = k21 * c.hocl
  let r22 = k22 * c.bro
  let r23 = k23 * c.brono2
  let r24 = k24 * c.hobr
  let r25 = k25 * c.c2h5ooh
  let r26 = k26 * c.o
  let r27 = k27 * c.o * c.o3
  let r28 = k28 * c.o1d
  let r29 = k29 * c.o1d
  let r30 = k30 * c.o3 * c.oh
  let r31 = k31 * c.o3 * c.ho2
  let r32 = k32 * c.o * c.ho2
  let r33 = k33 * c.o * c.oh
  let r34 = k34 * c.oh * c.ho2
  let r35 = k35 * c.ho2 * c.ho2
  let r36 = k36 * c.oh * c.h2o2
  let r37 = k37 * c.no * c.o3
  let r38 = k38 * c.no2 * c.o3
  let r39 = k39 * c.no * c.ho2
  let r40 = k40 * c.no * c.no3
  let r41 = k41 * c.no2 * c.no3
  let r42 = k42 * c.n2o5
  let r43 = k43 * c.oh * c.no2
  let r44 = k44 * c.oh * c.no
  let r45 = k45 * c.ho2 * c.no2
  let r46 = k46 * c.hno4
  let r47 = k47 * c.oh * c.hno3
  let r48 = k48 * c.oh * c.hno4
  let r49 = k49 * c.oh * c.hono
  let r50 = k50 * c.o * c.no2
  let r51 = k51 * c.ho2 * c.no3
  let r52 = k52 * c.oh * c.co
  let r53 = k53 * c.oh * c.ch4
  let r54 = k54 * c.ch3o2 * c.no
  let r55 = k55 * c.ch3o2 * c.ho2
  let r56 = k56 * c.ch3o2 * c.ch3o2
  let r57 = k57 * c.oh * c.ch3ooh
  let r58 = k58 * c.oh * c.hcho
  let r59 = k59 * c.oh * c.ch3oh
  let r60 = k60 * c.no3 * c.hcho
  let r61 = k61 * c.oh * c.c2h6
  let r62 = k62 * c.c2h5o2 * c.no
  let r63 = k63 * c.c2h5o2 * c.ho2
  let r64 = k64 * c.oh * c.c2h5ooh
  let r65 = k65 * c.oh * c.ch3cho
  let r66 = k66 * c.no3 * c.ch3cho
  let r67 = k67 * c.ch3co3 * c.no
  let r68 = k68 * c.ch3co3 * c.no2
  let r69 = k69 * c.pan
  let r70 = k70 * c.ch3co3 * c.ho2
  let r71 = k71 * c.oh * c.c2h4
  let r72 = k72 * c.o3 * c.c2h4
  let r73 = k73 * c.oh * c.c3h6
  let r74 = k74 * c.o3 * c.c3h6
  let r75 = k75 * c.oh * c.isop
  let r76 = k76 * c.o3 * c.isop
  let r77 = k77 * c.no3 * c.isop
  let r78 = k78 * c.isopo2 * c.no
  let r79 = k79 * c.isopo2 * c.ho2
  let r80 = k80 * c.oh * c.mvk
  let r81 = k81 * c.oh * c.macr
  let r82 = k82 * c.o3 * c.mvk
  let r83 = k83 * c.o3 * c.macr
  let r84 = k84 * c.oh * c.mgly
  let r85 = k85 * c.oh * c.so2
  let r86 = k86 * c.oh * c.dms
  let r87 = k87 * c.no3 * c.dms
  let r88 = k88 * c.cl * c.o3
  let r89 = k89 * c.cl * c.ch4
  let r90 = k90 * c.clo * c.o
  let r91 = k91 * c.clo * c.no
  let r92 = k92 * c.clo * c.no2
  let r93 = k93 * c.clo * c.ho2
  let r94 = k94 * c.oh * c.hcl
  let r95 = k95 * c.oh * c.hocl
  let r96 = k96 * c.br * c.o3
  let r97 = k97 * c.bro * c.no
  let r98 = k98 * c.bro * c.no2
  let r99 = k99 * c.bro * c.ho2
  let r100 = k100 * c.bro * c.bro
  let r101 = k101 * c.bro * c.clo
  let r102 = k102 * c.br * c.ho2
  let r103 = k103 * c.oh * c.hbr
  -- What that makes and takes.
  let made_o = r2 + r3 + r4 + r19 + r22 + r29
  let lost_o = r26 + r27 + r32 + r33 + r50 + r90
  let made_o1d = r1
  let lost_o1d = r28 + r29
  let made_o3 = r26
  let lost_o3 = r1 + r2 + r27 + r30 + r31 + r37 + r38 + r72 + r74 + r76 + r82 + r83 + r88 + r96
  let made_oh = r7 + r9 + 2 * r10 + r13 + r21 + r24 + r25 + 2 * r28 + r31 + r32 + r39 + r51 + r70
    + r74 + r76 + r79
  let lost_oh = r30 + r33 + r34 + r36 + r43 + r44 + r47 + r48 + r49 + r52 + r53 + r57 + r58 + r59
    + r61 + r64 + r65 + r71 + r73 + r75 + r80 + r81 + r84 + r85 + r86 + r94 + r95 + r103
  let made_ho2 = r8 + 2 * r11 + r13 + r14 + r16 + r18 + r25 + r30 + r33 + r36 + r46 + r52 + r54
    + r58 + r59 + r60 + r62 + r71 + r72 + r73 + r78 + r80 + r81 + r85
  let lost_ho2 = r31 + r32 + r34 + 2 * r35 + r39 + r45 + r51 + r55 + r63 + r70 + r79 + r93 + r99
    + r102
  let made_h2o2 = r35
  let lost_h2o2 = r10 + r36
  let made_no = r3 + r5 + r9 + r50
  let lost_no = r37 + r39 + r40 + r44 + r54 + r62 + r67 + r78 + r91 + r97
  let made_no2 = r4 + r6 + r7 + r8 + r15 + r37 + r39 + 2 * r40 + r42 + r46 + r48 + r49 + r51 + r54
    + r62 + r67 + r69 + r77 + r78 + r91 + r97
  let lost_no2 = r3 + r38 + r41 + r43 + r45 + r50 + r68 + r92 + r98
  let made_no3 = r6 + r20 + r23 + r38 + r42 + r47
  let lost_no3 = r4 + r5 + r40 + r41 + r51 + r60 + r66 + r77 + r87
  let made_n2o5 = r41
  let lost_n2o5 = r6 + r42
  let made_hno3 = r43 + r60 + r66 + r87
  let lost_hno3 = r7 + r47
  let made_hno4 = r45
  let lost_hno4 = r8 + r46 + r48
  let made_hono = r44
  let lost_hono = r9 + r49
  let made_co = r11 + r12 + r14 + r16 + r17 + r18 + r58 + r60 + r72 + r84
  let lost_co = r52
  let made_ch4 = 0
  let lost_ch4 = r53 + r89
  let made_ch3o2 = r14 + r53 + r57 + r67 + r70 + r86 + r87 + r89
  let lost_ch3o2 = r54 + r55 + 2 * r56
  let made_ch3ooh = r55
  let lost_ch3ooh = r13 + r57
  let made_hcho = r13 + r18 + r54 + r56 + r59 + 2 * r71 + r72 + r73 + r74 + r76 + r78 + r80 + r82
    + r83 + r86
  let lost_hcho = r11 + r12 + r58 + r60
  let made_ch3oh = r56
  let lost_ch3oh = r59
  let made_c2h6 = 0
  let lost_c2h6 = r61
  let made_c2h5o2 = r61 + r64
  let lost_c2h5o2 = r62 + r63
  let made_c2h5ooh = r63
  let lost_c2h5ooh = r25 + r64
  let made_ch3cho = r25 + r62 + r73 + r74
  let lost_ch3cho = r14 + r65 + r66
  let made_ch3co3 = r15 + r16 + r18 + r65 + r66 + r69 + r84
  let lost_ch3co3 = r67 + r68 + r70
  let made_pan = r68
  let lost_pan = r15 + r69
  let made_c2h4 = 0
  let lost_c2h4 = r71 + r72
  let made_c3h6 = r17
  let lost_c3h6 = r73 + r74
  let made_isop = 0
  let lost_isop = r75 + r76 + r77
  let made_isopo2 = r75 + r77
  let lost_isopo2 = r78 + r79
  let made_mvk = r76 + r78
  let lost_mvk = r17 + r80 + r82
  let made_macr = r79
  let lost_macr = r18 + r81 + r83
  let made_mgly = r80 + r81 + r82 + r83
  let lost_mgly = r16 + r84
  let made_so2 = r86 + r87
  let lost_so2 = r85
  let made_h2so4 = r85
  let lost_h2so4 = 0
  let made_dms = 0
  let lost_dms = r86 + r87
  let made_cl = r19 + r20 + r21 + r90 + r91 + r94 + r101
  let lost_cl = r88 + r89
  let made_clo = r88 + r95
  let lost_clo = r19 + r90 + r91 + r92 + r93 + r101
  let made_hcl = r89
  let lost_hcl = r94
  let made_clono2 = r92
  let lost_clono2 = r20
  let made_hocl = r93
  let lost_hocl = r21 + r95
  let made_br = r22 + r23 + r24 + r97 + 2 * r100 + r101 + r103
  let lost_br = r96 + r102
  let made_bro = r96
  let lost_bro = r22 + r97 + r98 + r99 + 2 * r100 + r101
  let made_hbr = r102
  let lost_hbr = r103
  let made_brono2 = r98
  let lost_brono2 = r23
  let made_hobr = r99
  let lost_hobr = r24
  in {
    o = made_o - lost_o,
    o1d = made_o1d - lost_o1d,
    o3 = made_o3 - lost_o3,
    oh = made_oh - lost_oh,
    ho2 = made_ho2 - lost_ho2,
    h2o2 = made_h2o2 - lost_h2o2,
    no = made_no - lost_no,
    no2 = made_no2 - lost_no2,
    no3 = made_no3 - lost_no3,
    n2o5 = made_n2o5 - lost_n2o5,
    hno3 = made_hno3 - lost_hno3,
    hno4 = made_hno4 - lost_hno4,
    hono = made_hono - lost_hono,
    co = made_co - lost_co,
    ch4 = made_ch4 - lost_ch4,
    ch3o2 = made_ch3o2 - lost_ch3o2,
    ch3ooh = made_ch3ooh - lost_ch3ooh,
    hcho = made_hcho - lost_hcho,
    ch3oh = made_ch3oh - lost_ch3oh,
    c2h6 = made_c2h6 - lost_c2h6,
    c2h5o2 = made_c2h5o2 - lost_c2h5o2,
    c2h5ooh = made_c2h5ooh - lost_c2h5ooh,
    ch3cho = made_ch3cho - lost_ch3cho,
    ch3co3 = made_ch3co3 - lost_ch3co3,
    pan = made_pan - lost_pan,
    c2h4 = made_c2h4 - lost_c2h4,
    c3h6 = made_c3h6 - lost_c3h6,
    isop = made_isop - lost_isop,
    isopo2 = made_isopo2 - lost_isopo2,
    mvk = made_mvk - lost_mvk,
    macr = made_macr - lost_macr,
    mgly = made_mgly - lost_mgly,
    so2 = made_so2 - lost_so2,
    h2so4 = made_h2so4 - lost_h2so4,
    dms = made_dms - lost_dms,
    cl = made_cl - lost_cl,
    clo = made_clo - lost_clo,
    hcl = made_hcl - lost_hcl,
    clono2 = made_clono2 - lost_clono2,
    hocl = made_hocl - lost_hocl,
    br = made_br - lost_br,
    bro = made_bro - lost_bro,
    hbr = made_hbr - lost_hbr,
    brono2 = made_brono2 - lost_brono2,
    hobr = made_hobr - lost_hobr
  }

-- | The part of each species that reacts away in a second, by which short-lived ones are told.
def frequencies (w: weather) (c: amounts): amounts =
  let t = w.temperature
  let m = w.air
  let f1_o3 = photolysis 0.00048 w.sun
  let f2_o3 = photolysis 0.035 w.sun
  let f3_no2 = photolysis 0.009 w.sun
  let f4_no3 = photolysis 0.15 w.sun
  let f5_no3 = photolysis 0.02 w.sun
  let f6_n2o5 = photolysis 3e-5 w.sun
  let f7_hno3 = photolysis 6e-7 w.sun
  let f8_hno4 = photolysis 5e-6 w.sun
  let f9_hono = photolysis 0.0019 w.sun
  let f10_h2o2 = photolysis 7e-6 w.sun
  let f11_hcho = photolysis 3e-5 w.sun
  let f12_hcho = photolysis 4.5e-5 w.sun
  let f13_ch3ooh = photolysis 5e-6 w.sun
  let f14_ch3cho = photolysis 5e-6 w.sun
  let f15_pan = photolysis 6e-7 w.sun
  let f16_mgly = photolysis 0.00014 w.sun
  let f17_mvk = photolysis 2e-6 w.sun
  let f18_macr = photolysis 4e-6 w.sun
  let f19_clo = photolysis 0.0022 w.sun
  let f20_clono2 = photolysis 4e-5 w.sun
  let f21_hocl = photolysis 0.00028 w.sun
  let f22_bro = photolysis 0.04 w.sun
  let f23_brono2 = photolysis 0.0013 w.sun
  let f24_hobr = photolysis 0.0023 w.sun
  let f25_c2h5ooh = photolysis 5e-6 w.sun
  let f26_o = 6e-34 * (t / 300) ** (-2.4) * m * 0.21 * m
  let f27_o = arrhenius 8e-12 (2060) t * c.o3
  let f27_o3 = arrhenius 8e-12 (2060) t * c.o
  let f28_o1d = arrhenius 1.63e-10 (-60) t * w.water
  let f29_o1d = arrhenius 2.15e-11 (-110) t * 0.78 * m
  let f30_o3 = arrhenius 1.7e-12 (940) t * c.oh
  let f30_oh = arrhenius 1.7e-12 (940) t * c.o3
  let f31_o3 = arrhenius 1e-14 (490) t * c.ho2
  let f31_ho2 = arrhenius 1e-14 (490) t * c.o3
  let f32_o = arrhenius 3e-11 (-200) t * c.ho2
  let f32_ho2 = arrhenius 3e-11 (-200) t * c.o
  let f33_o = arrhenius 2.2e-11 (-120) t * c.oh
  let f33_oh = arrhenius 2.2e-11 (-120) t * c.o
  let f34_oh = arrhenius 4.8e-11 (-250) t * c.ho2
  let f34_ho2 = arrhenius 4.8e-11 (-250) t * c.oh
  let f35_ho2 = arrhenius 3e-13 (-460) t * c.ho2 * 2
  let f36_oh = 1.8e-12 * c.h2o2
  let f36_h2o2 = 1.8e-12 * c.oh
  let f37_no = arrhenius 3e-12 (1500) t * c.o3
  let f37_o3 = arrhenius 3e-12 (1500) t * c.no
  let f38_no2 = arrhenius 1.2e-13 (2450) t * c.o3
  let f38_o3 = arrhenius 1.2e-13 (2450) t * c.no2
  let f39_no = arrhenius 3.3e-12 (-270) t * c.ho2
  let f39_ho2 = arrhenius 3.3e-12 (-270) t * c.no
  let f40_no = arrhenius 1.5e-11 (-170) t * c.no3
  let f40_no3 = arrhenius 1.5e-11 (-170) t * c.no
  let f41_no2 = troe 2e-30 3 2.5e-11 t m * c.no3
  let f41_no3 = troe 2e-30 3 2.5e-11 t m * c.no2
  let f42_n2o5 = troe 1e-30 3 1e-11 t m / (2.7e-27 * f64.exp (11000 / t))
  let f43_oh = troe 1.8e-30 3 2.8e-11 t m * c.no2
  let f43_no2 = troe 1.8e-30 3 2.8e-11 t m * c.oh
  let f44_oh = troe 7e-31 2.6 3.6e-11 t m * c.no
  let f44_no = troe 7e-31 2.6 3.6e-11 t m * c.oh
  let f45_ho2 = troe 1.9e-31 3.4 4e-12 t m * c.no2
  let f45_no2 = troe 1.9e-31 3.4 4e-12 t m * c.ho2
  let f46_hno4 = troe 1e-30 3 1e-11 t m / (2.1e-27 * f64.exp (10900 / t))
  let f47_oh = arrhenius 2.4e-14 (-460) t * c.hno3
  let f47_hno3 = arrhenius 2.4e-14 (-460) t * c.oh
  let f48_oh = arrhenius 1.3e-12 (-380) t * c.hno4
  let f48_hno4 = arrhenius 1.3e-12 (-380) t * c.oh
  let f49_oh = arrhenius 1.8e-11 (390) t * c.hono
  let f49_hono = arrhenius 1.8e-11 (390) t * c.oh
  let f50_o = arrhenius 5.1e-12 (-210) t * c.no2
  let f50_no2 = arrhenius 5.1e-12 (-210) t * c.o
  let f51_ho2 = 3.5e-12 * c.no3
  let f51_no3 = 3.5e-12 * c.ho2
  let f52_oh = 1.5e-13 * c.co
  let f52_co = 1.5e-13 * c.oh
  let f53_oh = arrhenius 2.45e-12 (1775) t * c.ch4
  let f53_ch4 = arrhenius 2.45e-12 (1775) t * c.oh
  let f54_ch3o2 = arrhenius 2.8e-12 (-300) t * c.no
  let f54_no = arrhenius 2.8e-12 (-300) t * c.ch3o2
  let f55_ch3o2 = arrhenius 4.1e-13 (-750) t * c.ho2
  let f55_ho2 = arrhenius 4.1e-13 (-750) t * c.ch3o2
  let f56_ch3o2 = arrhenius 9.5e-14 (-390) t * c.ch3o2 * 2
  let f57_oh = arrhenius 3.8e-12 (-200) t * c.ch3ooh
  let f57_ch3ooh = arrhenius 3.8e-12 (-200) t * c.oh
  let f58_oh = arrhenius 5.5e-12 (-125) t * c.hcho
  let f58_hcho = arrhenius 5.5e-12 (-125) t * c.oh
  let f59_oh = arrhenius 2.9e-12 (345) t * c.ch3oh
  let f59_ch3oh = arrhenius 2.9e-12 (345) t * c.oh
  let f60_no3 = 5.8e-16 * c.hcho
  let f60_hcho = 5.8e-16 * c.no3
  let f61_oh = arrhenius 7.66e-12 (1020) t * c.c2h6
  let f61_c2h6 = arrhenius 7.66e-12 (1020) t * c.oh
  let f62_c2h5o2 = arrhenius 2.6e-12 (-365) t * c.no
  let f62_no = arrhenius 2.6e-12 (-365) t * c.c2h5o2
  let f63_c2h5o2 = arrhenius 7.5e-13 (-700) t * c.ho2
  let f63_ho2 = arrhenius 7.5e-13 (-700) t * c.c2h5o2
  let f64_oh = arrhenius 3e-12 (-190) t * c.c2h5ooh
  let f64_c2h5ooh = arrhenius 3e-12 (-190) t * c.oh
  let f65_oh = arrhenius 4.63e-12 (-350) t * c.ch3cho
  let f65_ch3cho = arrhenius 4.63e-12 (-350) t * c.oh
  let f66_no3 = arrhenius 1.4e-12 (1900) t * c.ch3cho
  let f66_ch3cho = arrhenius 1.4e-12 (1900) t * c.no3
  let f67_ch3co3 = arrhenius 8.1e-12 (-270) t * c.no
  let f67_no = arrhenius 8.1e-12 (-270) t * c.ch3co3
  let f68_ch3co3 = troe 9.7e-29 5.6 9.3e-12 t m * c.no2
  let f68_no2 = troe 9.7e-29 5.6 9.3e-12 t m * c.ch3co3
  let f69_pan = troe 1e-30 3 1e-11 t m / (9e-29 * f64.exp (14000 / t))
  let f70_ch3co3 = arrhenius 4.3e-13 (-1040) t * c.ho2
  let f70_ho2 = arrhenius 4.3e-13 (-1040) t * c.ch3co3
  let f71_oh = troe 1e-28 4.5 8.8e-12 t m * c.c2h4
  let f71_c2h4 = troe 1e-28 4.5 8.8e-12 t m * c.oh
  let f72_o3 = arrhenius 1.2e-14 (2630) t * c.c2h4
  let f72_c2h4 = arrhenius 1.2e-14 (2630) t * c.o3
  let f73_oh = troe 8e-27 3.5 3e-11 t m * c.c3h6
  let f73_c3h6 = troe 8e-27 3.5 3e-11 t m * c.oh
  let f74_o3 = arrhenius 6.5e-15 (1900) t * c.c3h6
  let f74_c3h6 = arrhenius 6.5e-15 (1900) t * c.o3
  let f75_oh = arrhenius 3.1e-11 (-350) t * c.isop
  let f75_isop = arrhenius 3.1e-11 (-350) t * c.oh
  let f76_o3 = arrhenius 1.03e-14 (1995) t * c.isop
  let f76_isop = arrhenius 1.03e-14 (1995) t * c.o3
  let f77_no3 = arrhenius 3.15e-12 (450) t * c.isop
  let f77_isop = arrhenius 3.15e-12 (450) t * c.no3
  let f78_isopo2 = arrhenius 2.7e-12 (-350) t * c.no
  let f78_no = arrhenius 2.7e-12 (-350) t * c.isopo2
  let f79_isopo2 = arrhenius 2.05e-13 (-1300) t * c.ho2
  let f79_ho2 = arrhenius 2.05e-13 (-1300) t * c.isopo2
  let f80_oh = arrhenius 2.6e-12 (-610) t * c.mvk
  let f80_mvk = arrhenius 2.6e-12 (-610) t * c.oh
  let f81_oh = arrhenius 8e-12 (-380) t * c.macr
  let f81_macr = arrhenius 8e-12 (-380) t * c.oh
  let f82_o3 = arrhenius 8.5e-16 (1520) t * c.mvk
  let f82_mvk = arrhenius 8.5e-16 (1520) t * c.o3
  let f83_o3 = arrhenius 1.4e-15 (2100) t * c.macr
  let f83_macr = arrhenius 1.4e-15 (2100) t * c.o3
  let f84_oh = arrhenius 8.4e-13 (-830) t * c.mgly
  let f84_mgly = arrhenius 8.4e-13 (-830) t * c.oh
  let f85_oh = troe 3.3e-31 4.3 1.6e-12 t m * c.so2
  let f85_so2 = troe 3.3e-31 4.3 1.6e-12 t m * c.oh
  let f86_oh = arrhenius 1.1e-11 (240) t * c.dms
  let f86_dms = arrhenius 1.1e-11 (240) t * c.oh
  let f87_no3 = arrhenius 1.9e-13 (-520) t * c.dms
  let f87_dms = arrhenius 1.9e-13 (-520) t * c.no3
  let f88_cl = arrhenius 2.3e-11 (200) t * c.o3
  let f88_o3 = arrhenius 2.3e-11 (200) t * c.cl
  let f89_cl = arrhenius 7.1e-12 (1270) t * c.ch4
  let f89_ch4 = arrhenius 7.1e-12 (1270) t * c.cl
  let f90_clo = arrhenius 2.8e-11 (-85) t * c.o
  let f90_o = arrhenius 2.8e-11 (-85) t * c.clo
  let f91_clo = arrhenius 6.4e-12 (-290) t * c.no
  let f91_no = arrhenius 6.4e-12 (-290) t * c.clo
  let f92_clo = troe 1.8e-31 3.4 1.5e-11 t m * c.no2
  let f92_no2 = troe 1.8e-31 3.4 1.5e-11 t m * c.clo
  let f93_clo = arrhenius 2.6e-12 (-290) t * c.ho2
  let f93_ho2 = arrhenius 2.6e-12 (-290) t * c.clo
  let f94_oh = arrhenius 1.8e-12 (250) t * c.hcl
  let f94_hcl = arrhenius 1.8e-12 (250) t * c.oh
  let f95_oh = arrhenius 3e-12 (500) t * c.hocl
  let f95_hocl = arrhenius 3e-12 (500) t * c.oh
  let f96_br = arrhenius 1.7e-11 (800) t * c.o3
  let f96_o3 = arrhenius 1.7e-11 (800) t * c.br
  let f97_bro = arrhenius 8.8e-12 (-260) t * c.no
  let f97_no = arrhenius 8.8e-12 (-260) t * c.bro
  let f98_bro = troe 5.2e-31 3.2 6.9e-12 t m * c.no2
  let f98_no2 = troe 5.2e-31 3.2 6.9e-12 t m * c.bro
  let f99_bro = arrhenius 4.5e-12 (-460) t * c.ho2
  let f99_ho2 = arrhenius 4.5e-12 (-460) t * c.bro
  let f100_bro = arrhenius 1.5e-12 (-230) t * c.bro * 2
  let f101_bro = arrhenius 9.5e-13 (-550) t * c.clo
  let f101_clo = arrhenius 9.5e-13 (-550) t * c.bro
  let f102_br = arrhenius 4.8e-12 (310) t * c.ho2
  let f102_ho2 = arrhenius 4.8e-12 (310) t * c.br
  let f103_oh = arrhenius 5.5e-12 (-200) t * c.hbr
  let f103_hbr = arrhenius 5.5e-12 (-200) t * c.oh
  in {
    o = f26_o + f27_o + f32_o + f33_o + f50_o + f90_o,
    o1d = f28_o1d + f29_o1d,
    o3 = f1_o3 + f2_o3 + f27_o3 + f30_o3 + f31_o3 + f37_o3 + f38_o3 + f72_o3 + f74_o3 + f76_o3
      + f82_o3 + f83_o3 + f88_o3 + f96_o3,
    oh = f30_oh + f33_oh + f34_oh + f36_oh + f43_oh + f44_oh + f47_oh + f48_oh + f49_oh + f52_oh
      + f53_oh + f57_oh + f58_oh + f59_oh + f61_oh + f64_oh + f65_oh + f71_oh + f73_oh + f75_oh
      + f80_oh + f81_oh + f84_oh + f85_oh + f86_oh + f94_oh + f95_oh + f103_oh,
    ho2 = f31_ho2 + f32_ho2 + f34_ho2 + f35_ho2 + f39_ho2 + f45_ho2 + f51_ho2 + f55_ho2 + f63_ho2
      + f70_ho2 + f79_ho2 + f93_ho2 + f99_ho2 + f102_ho2,
    h2o2 = f10_h2o2 + f36_h2o2,
    no = f37_no + f39_no + f40_no + f44_no + f54_no + f62_no + f67_no + f78_no + f91_no + f97_no,
    no2 = f3_no2 + f38_no2 + f41_no2 + f43_no2 + f45_no2 + f50_no2 + f68_no2 + f92_no2 + f98_no2,
    no3 = f4_no3 + f5_no3 + f40_no3 + f41_no3 + f51_no3 + f60_no3 + f66_no3 + f77_no3 + f87_no3,
    n2o5 = f6_n2o5 + f42_n2o5,
    hno3 = f7_hno3 + f47_hno3,
    hno4 = f8_hno4 + f46_hno4 + f48_hno4,
    hono = f9_hono + f49_hono,
    co = f52_co,
    ch4 = f53_ch4 + f89_ch4,
    ch3o2 = f54_ch3o2 + f55_ch3o2 + f56_ch3o2,
    ch3ooh = f13_ch3ooh + f57_ch3ooh,
    hcho = f11_hcho + f12_hcho + f58_hcho + f60_hcho,
    ch3oh = f59_ch3oh,
    c2h6 = f61_c2h6,
    c2h5o2 = f62_c2h5o2 + f63_c2h5o2,
    c2h5ooh = f25_c2h5ooh + f64_c2h5ooh,
    ch3cho = f14_ch3cho + f65_ch3cho + f66_ch3cho,
    ch3co3 = f67_ch3co3 + f68_ch3co3 + f70_ch3co3,
    pan = f15_pan + f69_pan,
    c2h4 = f71_c2h4 + f72_c2h4,
    c3h6 = f73_c3h6 + f74_c3h6,
    isop = f75_isop + f76_isop + f77_isop,
    isopo2 = f78_isopo2 + f79_isopo2,
    mvk = f17_mvk + f80_mvk + f82_mvk,
    macr = f18_macr + f81_macr + f83_macr,
    mgly = f16_mgly + f84_mgly,
    so2 = f85_so2,
    h2so4 = 0,
    dms = f86_dms + f87_dms,
    cl = f88_cl + f89_cl,
    clo = f19_clo + f90_clo + f91_clo + f92_clo + f93_clo + f101_clo,
    hcl = f94_hcl,
    clono2 = f20_clono2,
    hocl = f21_hocl + f95_hocl,
    br = f96_br + f102_br,
    bro = f22_bro + f97_bro + f98_bro + f99_bro + f100_bro + f101_bro,
    hbr = f103_hbr,
    brono2 = f23_brono2,
    hobr = f24_hobr
  }

def apply (f: f64 -> f64) (a: amounts): amounts = {
  o = f a.o,
  o1d = f a.o1d,
  o3 = f a.o3,
  oh = f a.oh,
  ho2 = f a.ho2,
  h2o2 = f a.h2o2,
  no = f a.no,
  no2 = f a.no2,
  no3 = f a.no3,
  n2o5 = f a.n2o5,
  hno3 = f a.hno3,
  hno4 = f a.hno4,
  hono = f a.hono,
  co = f a.co,
  ch4 = f a.ch4,
  ch3o2 = f a.ch3o2,
  ch3ooh = f a.ch3ooh,
  hcho = f a.hcho,
  ch3oh = f a.ch3oh,
  c2h6 = f a.c2h6,
  c2h5o2 = f a.c2h5o2,
  c2h5ooh = f a.c2h5ooh,
  ch3cho = f a.ch3cho,
  ch3co3 = f a.ch3co3,
  pan = f a.pan,
  c2h4 = f a.c2h4,
  c3h6 = f a.c3h6,
  isop = f a.isop,
  isopo2 = f a.isopo2,
  mvk = f a.mvk,
  macr = f a.macr,
  mgly = f a.mgly,
  so2 = f a.so2,
  h2so4 = f a.h2so4,
  dms = f a.dms,
  cl = f a.cl,
  clo = f a.clo,
  hcl = f a.hcl,
  clono2 = f a.clono2,
  hocl = f a.hocl,
  br = f a.br,
  bro = f a.bro,
  hbr = f a.hbr,
  brono2 = f a.brono2,
  hobr = f a.hobr
}

def apply2 (f: f64 -> f64 -> f64) (a: amounts) (b: amounts): amounts = {
  o = f a.o b.o,
  o1d = f a.o1d b.o1d,
  o3 = f a.o3 b.o3,
  oh = f a.oh b.oh,
  ho2 = f a.ho2 b.ho2,
  h2o2 = f a.h2o2 b.h2o2,
  no = f a.no b.no,
  no2 = f a.no2 b.no2,
  no3 = f a.no3 b.no3,
  n2o5 = f a.n2o5 b.n2o5,
  hno3 = f a.hno3 b.hno3,
  hno4 = f a.hno4 b.hno4,
  hono = f a.hono b.hono,
  co = f a.co b.co,
  ch4 = f a.ch4 b.ch4,
  ch3o2 = f a.ch3o2 b.ch3o2,
  ch3ooh = f a.ch3ooh b.ch3ooh,
  hcho = f a.hcho b.hcho,
  ch3oh = f a.ch3oh b.ch3oh,
  c2h6 = f a.c2h6 b.c2h6,
  c2h5o2 = f a.c2h5o2 b.c2h5o2,
  c2h5ooh = f a.c2h5ooh b.c2h5ooh,
  ch3cho = f a.ch3cho b.ch3cho,
  ch3co3 = f a.ch3co3 b.ch3co3,
  pan = f a.pan b.pan,
  c2h4 = f a.c2h4 b.c2h4,
  c3h6 = f a.c3h6 b.c3h6,
  isop = f a.isop b.isop,
  isopo2 = f a.isopo2 b.isopo2,
  mvk = f a.mvk b.mvk,
  macr = f a.macr b.macr,
  mgly = f a.mgly b.mgly,
  so2 = f a.so2 b.so2,
  h2so4 = f a.h2so4 b.h2so4,
  dms = f a.dms b.dms,
  cl = f a.cl b.cl,
  clo = f a.clo b.clo,
  hcl = f a.hcl b.hcl,
  clono2 = f a.clono2 b.clono2,
  hocl = f a.hocl b.hocl,
  br = f a.br b.br,
  bro = f a.bro b.bro,
  hbr = f a.hbr b.hbr,
  brono2 = f a.brono2 b.brono2,
  hobr = f a.hobr b.hobr
}

def to_array (a: amounts): []f64 = [
  a.o, a.o1d, a.o3, a.oh, a.ho2, a.h2o2,
  a.no, a.no2, a.no3, a.n2o5, a.hno3, a.hno4,
  a.hono, a.co, a.ch4, a.ch3o2, a.ch3ooh, a.hcho,
  a.ch3oh, a.c2h6, a.c2h5o2, a.c2h5ooh, a.ch3cho, a.ch3co3,
  a.pan, a.c2h4, a.c3h6, a.isop, a.isopo2, a.mvk,
  a.macr, a.mgly, a.so2, a.h2so4, a.dms, a.cl,
  a.clo, a.hcl, a.clono2, a.hocl, a.br, a.bro,
  a.hbr, a.brono2, a.hobr
]

def of_array (xs: []f64): amounts = {
  o = xs[0],
  o1d = xs[1],
  o3 = xs[2],
  oh = xs[3],
  ho2 = xs[4],
  h2o2 = xs[5],
  no = xs[6],
  no2 = xs[7],
  no3 = xs[8],
  n2o5 = xs[9],
  hno3 = xs[10],
  hno4 = xs[11],
  hono = xs[12],
  co = xs[13],
  ch4 = xs[14],
  ch3o2 = xs[15],
  ch3ooh = xs[16],
  hcho = xs[17],
  ch3oh = xs[18],
  c2h6 = xs[19],
  c2h5o2 = xs[20],
  c2h5ooh = xs[21],
  ch3cho = xs[22],
  ch3co3 = xs[23],
  pan = xs[24],
  c2h4 = xs[25],
  c3h6 = xs[26],
  isop = xs[27],
  isopo2 = xs[28],
  mvk = xs[29],
  macr = xs[30],
  mgly = xs[31],
  so2 = xs[32],
  h2so4 = xs[33],
  dms = xs[34],
  cl = xs[35],
  clo = xs[36],
  hcl = xs[37],
  clono2 = xs[38],
  hocl = xs[39],
  br = xs[40],
  bro = xs[41],
  hbr = xs[42],
  brono2 = xs[43],
  hobr = xs[44]
}

-- | Clean air far from everything, with some of what towns and forests emit.
def clean (air: f64): amounts =
  let ppb x = x * 1e-9 * air
  in {
    o = 0,
    o1d = 0,
    o3 = ppb 30,
    oh = ppb 0.0001,
    ho2 = ppb 0.01,
    h2o2 = ppb 1,
    no = ppb 0.05,
    no2 = ppb 0.1,
    no3 = 0,
    n2o5 = 0,
    hno3 = ppb 0.1,
    hno4 = 0,
    hono = 0,
    co = ppb 100,
    ch4 = ppb 1800,
    ch3o2 = 0,
    ch3ooh = ppb 0.5,
    hcho = ppb 0.5,
    ch3oh = ppb 1,
    c2h6 = ppb 1,
    c2h5o2 = 0,
    c2h5ooh = 0,
    ch3cho = ppb 0.1,
    ch3co3 = 0,
    pan = ppb 0.1,
    c2h4 = ppb 0.1,
    c3h6 = ppb 0.05,
    isop = ppb 0.5,
    isopo2 = 0,
    mvk = ppb 0.1,
    macr = ppb 0.1,
    mgly = 0,
    so2 = ppb 0.1,
    h2so4 = 0,
    dms = ppb 0.1,
    cl = 0,
    clo = 0,
    hcl = ppb 0.2,
    clono2 = ppb 0.01,
    hocl = 0,
    br = 0,
    bro = ppb 0.001,
    hbr = ppb 0.002,
    brono2 = 0,
    hobr = 0
  }

-- Integrators.

def scaled_sum (h: f64) (a: amounts) (b: amounts): amounts = apply2 (\x y -> x + h * y) a b

-- | Nothing becomes negative: what is lost is lost in proportion to what is there.
def implicit_step (w: weather) (h: f64) (c: amounts): amounts =
  let d = tendencies w c
  let f = frequencies w c
  let made = apply2 (+) d (apply2 (*) f c)
  in apply2 (/) (scaled_sum h c made) (apply (\x -> 1 + h * x) f)

-- | Two half steps and one whole, put together.
def extrapolated_step (w: weather) (h: f64) (c: amounts): amounts =
  let whole = implicit_step w h c
  let half = implicit_step w (h / 2) (implicit_step w (h / 2) c)
  in apply2 (\x y -> f64.max 0 (2 * y - x)) whole half

def runge_kutta_step (w: weather) (h: f64) (c: amounts): amounts =
  let k1 = tendencies w c
  let k2 = tendencies w (scaled_sum (h / 2) c k1)
  let k3 = tendencies w (scaled_sum (h / 2) c k2)
  let k4 = tendencies w (scaled_sum h c k3)
  in scaled_sum (h / 6) (scaled_sum (h / 6) c (apply2 (+) k1 k4))
                (apply (* 2) (apply2 (+) k2 k3))

def sun_at (hour: f64): f64 = f64.max 0 (f64.cos ((hour - 12) / 24 * 2 * f64.pi))

def weather_at (temperature: f64) (hour: f64): weather =
  let air = 2.5e19 * 298 / temperature
  let warmer = 4 * f64.sin ((hour - 9) / 24 * 2 * f64.pi)
  in {temperature = temperature + warmer, air, water = 0.01 * air, sun = sun_at hour}

-- | A day in one box, with steps of some seconds.
def day (temperature: f64) (steps: i64) (h: f64) (start: amounts): amounts =
  loop c = start for i < steps do
    let w = weather_at temperature (f64.i64 i * h / 3600)
    in extrapolated_step w h c

-- | All atoms of nitrogen.
def nitrogen (c: amounts): f64 =
  c.no + c.no2 + c.no3 + 2 * c.n2o5 + c.hno3 + c.hno4 + c.hono + c.pan + c.clono2 + c.brono2

def halogens (c: amounts): (f64, f64) =
  (c.cl + c.clo + c.hcl + c.clono2 + c.hocl, c.br + c.bro + c.hbr + c.brono2 + c.hobr)

-- | Boxes in a row that exchange air with their neighbours after each step.
def mix_boxes [n] (k: f64) (boxes: [n]amounts): [n]amounts =
  let next = rotate 1 boxes
  let previous = rotate (-1) boxes
  in map3 (\a b c -> apply2 (+) (apply (* (1 - 2 * k)) b) (apply (* k) (apply2 (+) a c))) previous boxes next

-- Entry points.

entry one_box (temperature: f64) (steps: i64): []f64 =
  to_array (day temperature steps 20 (clean 2.5e19))

entry many_boxes [n] (temperatures: [n]f64) (steps: i64): [n]f64 =
  map (\t -> (day t steps 20 (clean 2.5e19)).o3) temperatures

entry row_of_boxes [n] (temperatures: [n]f64) (steps: i64): ([n]f64, [n]f64) =
  let start = map (\t -> clean (2.5e19 * 298 / t)) temperatures
  let boxes =
    loop boxes = start for i < steps do
      map2 (\t c -> implicit_step (weather_at t (6 + f64.i64 i / 60)) 60 c) temperatures boxes
      |> mix_boxes 0.1
  in unzip (map (\c -> (c.o3, nitrogen c)) boxes)

entry most_sensitive [n] (temperature: f64) (changes: [n]f64): (i64, f64) =
  let at change =
    let c = clean 2.5e19
    in (day temperature 10 20 (c with no = c.no * change with isop = c.isop / change)).o3
  let all = map at changes
  let better (i, x) (j, y) = if x > y then (i, x) else if y > x then (j, y) else (i64.min i j, x)
  in reduce_comm better (i64.highest, -f64.inf) (zip (iota n) all)

-- What must hold.

def close (tolerance: f64) (a: f64) (b: f64): bool = f64.abs (a - b) <= tolerance * (f64.abs a + f64.abs b)

-- | Atoms are neither made nor lost.
entry test_balance (temperature: f64): bool =
  let c = scaled_sum 1e-3 (clean 2.5e19) (apply (* 1e-3) (of_array (map (const 1e7) (to_array (clean 1)))))
  let w = weather_at temperature 12
  let d = tendencies w c
  let (cl, br) = halogens d
  let all = nitrogen (apply2 (*) (frequencies w c) c)
  in f64.abs (nitrogen d) <= 1e-9 * all && f64.abs cl <= 1e-6 * d.hcl + 1 && f64.abs br <= 1

-- | At night light does nothing.
entry test_night (temperature: f64): bool =
  let w = weather_at temperature 0
  let c = clean 2.5e19
  let by_day = frequencies (w with sun = 1) c
  in w.sun == 0 && (tendencies w (c with o3 = 0 with no = 0)).no <= 0 && (frequencies w c).pan < by_day.pan

-- | The integrators agree where steps are shorter than the life of each species.
entry test_agree (temperature: f64): bool =
  let w = weather_at temperature 10
  let c = clean 2.5e19
  let go step = loop c = c for _i < 20i32 do step w 1e-10 c
  let (a, b) = (go extrapolated_step, go runge_kutta_step)
  in close 1e-6 a.o3 b.o3 && close 1e-3 a.oh b.oh && close 1e-4 a.no b.no

entry test_boxes (temperature: f64): bool =
  let (o3, n) = row_of_boxes (map (\i -> temperature + f64.i64 i) (iota 4)) 3
  let before = f64.sum (map (\i -> nitrogen (clean (2.5e19 * 298 / (temperature + f64.i64 i)))) (iota 4))
  in all (> 0) o3 && close 0.1 before (f64.sum n) && (most_sensitive temperature [1, 2, 0.5]).0 < 3
