-- Long chains of conditions and matches with many cases.
-- ==
-- entry: cases
-- input { [0, 63, 64, 65, 127, 128, 149, 150, -1] }
-- output { [3i32, 444i32, 451i32, 458i32, 892i32, 899i32, 46i32, -150i32, 1i32] }

-- ==
-- entry: conditions
-- input { [0, 63, 64, 65, 127, 128, 149, 150, -1] }
-- output { [6i32, 951i32, 966i32, 981i32, 1911i32, 1926i32, 241i32, 0i32, 0i32] }

-- ==
-- entry: checked
-- input { 70i32 [1, 2, 3] } output { [3, 1] }
-- input { 149i32 [1, 2, 3] } error: out of bounds
-- input { 150i32 [1, 2, 3] } output { empty([0]i32) }

def one_case (x: i32): i32 =
  match x
  case 0 -> 3
  case 1 -> 10
  case 2 -> 17
  case 3 -> 24
  case 4 -> 31
  case 5 -> 38
  case 6 -> 45
  case 7 -> 52
  case 8 -> 59
  case 9 -> 66
  case 10 -> 73
  case 11 -> 80
  case 12 -> 87
  case 13 -> 94
  case 14 -> 101
  case 15 -> 108
  case 16 -> 115
  case 17 -> 122
  case 18 -> 129
  case 19 -> 136
  case 20 -> 143
  case 21 -> 150
  case 22 -> 157
  case 23 -> 164
  case 24 -> 171
  case 25 -> 178
  case 26 -> 185
  case 27 -> 192
  case 28 -> 199
  case 29 -> 206
  case 30 -> 213
  case 31 -> 220
  case 32 -> 227
  case 33 -> 234
  case 34 -> 241
  case 35 -> 248
  case 36 -> 255
  case 37 -> 262
  case 38 -> 269
  case 39 -> 276
  case 40 -> 283
  case 41 -> 290
  case 42 -> 297
  case 43 -> 304
  case 44 -> 311
  case 45 -> 318
  case 46 -> 325
  case 47 -> 332
  case 48 -> 339
  case 49 -> 346
  case 50 -> 353
  case 51 -> 360
  case 52 -> 367
  case 53 -> 374
  case 54 -> 381
  case 55 -> 388
  case 56 -> 395
  case 57 -> 402
  case 58 -> 409
  case 59 -> 416
  case 60 -> 423
  case 61 -> 430
  case 62 -> 437
  case 63 -> 444
  case 64 -> 451
  case 65 -> 458
  case 66 -> 465
  case 67 -> 472
  case 68 -> 479
  case 69 -> 486
  case 70 -> 493
  case 71 -> 500
  case 72 -> 507
  case 73 -> 514
  case 74 -> 521
  case 75 -> 528
  case 76 -> 535
  case 77 -> 542
  case 78 -> 549
  case 79 -> 556
  case 80 -> 563
  case 81 -> 570
  case 82 -> 577
  case 83 -> 584
  case 84 -> 591
  case 85 -> 598
  case 86 -> 605
  case 87 -> 612
  case 88 -> 619
  case 89 -> 626
  case 90 -> 633
  case 91 -> 640
  case 92 -> 647
  case 93 -> 654
  case 94 -> 661
  case 95 -> 668
  case 96 -> 675
  case 97 -> 682
  case 98 -> 689
  case 99 -> 696
  case 100 -> 703
  case 101 -> 710
  case 102 -> 717
  case 103 -> 724
  case 104 -> 731
  case 105 -> 738
  case 106 -> 745
  case 107 -> 752
  case 108 -> 759
  case 109 -> 766
  case 110 -> 773
  case 111 -> 780
  case 112 -> 787
  case 113 -> 794
  case 114 -> 801
  case 115 -> 808
  case 116 -> 815
  case 117 -> 822
  case 118 -> 829
  case 119 -> 836
  case 120 -> 843
  case 121 -> 850
  case 122 -> 857
  case 123 -> 864
  case 124 -> 871
  case 125 -> 878
  case 126 -> 885
  case 127 -> 892
  case 128 -> 899
  case 129 -> 906
  case 130 -> 913
  case 131 -> 920
  case 132 -> 927
  case 133 -> 934
  case 134 -> 941
  case 135 -> 948
  case 136 -> 955
  case 137 -> 962
  case 138 -> 969
  case 139 -> 976
  case 140 -> 983
  case 141 -> 990
  case 142 -> 997
  case 143 -> 4
  case 144 -> 11
  case 145 -> 18
  case 146 -> 25
  case 147 -> 32
  case 148 -> 39
  case 149 -> 46
  case y -> -y

entry cases (xs: []i32) = map one_case xs

def one_condition (x: i32): i32 =
  if x == 0 then x + 6 else
  if x == 1 then x + 20 else
  if x == 2 then x + 34 else
  if x == 3 then x + 48 else
  if x == 4 then x + 62 else
  if x == 5 then x + 76 else
  if x == 6 then x + 90 else
  if x == 7 then x + 104 else
  if x == 8 then x + 118 else
  if x == 9 then x + 132 else
  if x == 10 then x + 146 else
  if x == 11 then x + 160 else
  if x == 12 then x + 174 else
  if x == 13 then x + 188 else
  if x == 14 then x + 202 else
  if x == 15 then x + 216 else
  if x == 16 then x + 230 else
  if x == 17 then x + 244 else
  if x == 18 then x + 258 else
  if x == 19 then x + 272 else
  if x == 20 then x + 286 else
  if x == 21 then x + 300 else
  if x == 22 then x + 314 else
  if x == 23 then x + 328 else
  if x == 24 then x + 342 else
  if x == 25 then x + 356 else
  if x == 26 then x + 370 else
  if x == 27 then x + 384 else
  if x == 28 then x + 398 else
  if x == 29 then x + 412 else
  if x == 30 then x + 426 else
  if x == 31 then x + 440 else
  if x == 32 then x + 454 else
  if x == 33 then x + 468 else
  if x == 34 then x + 482 else
  if x == 35 then x + 496 else
  if x == 36 then x + 510 else
  if x == 37 then x + 524 else
  if x == 38 then x + 538 else
  if x == 39 then x + 552 else
  if x == 40 then x + 566 else
  if x == 41 then x + 580 else
  if x == 42 then x + 594 else
  if x == 43 then x + 608 else
  if x == 44 then x + 622 else
  if x == 45 then x + 636 else
  if x == 46 then x + 650 else
  if x == 47 then x + 664 else
  if x == 48 then x + 678 else
  if x == 49 then x + 692 else
  if x == 50 then x + 706 else
  if x == 51 then x + 720 else
  if x == 52 then x + 734 else
  if x == 53 then x + 748 else
  if x == 54 then x + 762 else
  if x == 55 then x + 776 else
  if x == 56 then x + 790 else
  if x == 57 then x + 804 else
  if x == 58 then x + 818 else
  if x == 59 then x + 832 else
  if x == 60 then x + 846 else
  if x == 61 then x + 860 else
  if x == 62 then x + 874 else
  if x == 63 then x + 888 else
  if x == 64 then x + 902 else
  if x == 65 then x + 916 else
  if x == 66 then x + 930 else
  if x == 67 then x + 944 else
  if x == 68 then x + 958 else
  if x == 69 then x + 972 else
  if x == 70 then x + 986 else
  if x == 71 then x + 1000 else
  if x == 72 then x + 1014 else
  if x == 73 then x + 1028 else
  if x == 74 then x + 1042 else
  if x == 75 then x + 1056 else
  if x == 76 then x + 1070 else
  if x == 77 then x + 1084 else
  if x == 78 then x + 1098 else
  if x == 79 then x + 1112 else
  if x == 80 then x + 1126 else
  if x == 81 then x + 1140 else
  if x == 82 then x + 1154 else
  if x == 83 then x + 1168 else
  if x == 84 then x + 1182 else
  if x == 85 then x + 1196 else
  if x == 86 then x + 1210 else
  if x == 87 then x + 1224 else
  if x == 88 then x + 1238 else
  if x == 89 then x + 1252 else
  if x == 90 then x + 1266 else
  if x == 91 then x + 1280 else
  if x == 92 then x + 1294 else
  if x == 93 then x + 1308 else
  if x == 94 then x + 1322 else
  if x == 95 then x + 1336 else
  if x == 96 then x + 1350 else
  if x == 97 then x + 1364 else
  if x == 98 then x + 1378 else
  if x == 99 then x + 1392 else
  if x == 100 then x + 1406 else
  if x == 101 then x + 1420 else
  if x == 102 then x + 1434 else
  if x == 103 then x + 1448 else
  if x == 104 then x + 1462 else
  if x == 105 then x + 1476 else
  if x == 106 then x + 1490 else
  if x == 107 then x + 1504 else
  if x == 108 then x + 1518 else
  if x == 109 then x + 1532 else
  if x == 110 then x + 1546 else
  if x == 111 then x + 1560 else
  if x == 112 then x + 1574 else
  if x == 113 then x + 1588 else
  if x == 114 then x + 1602 else
  if x == 115 then x + 1616 else
  if x == 116 then x + 1630 else
  if x == 117 then x + 1644 else
  if x == 118 then x + 1658 else
  if x == 119 then x + 1672 else
  if x == 120 then x + 1686 else
  if x == 121 then x + 1700 else
  if x == 122 then x + 1714 else
  if x == 123 then x + 1728 else
  if x == 124 then x + 1742 else
  if x == 125 then x + 1756 else
  if x == 126 then x + 1770 else
  if x == 127 then x + 1784 else
  if x == 128 then x + 1798 else
  if x == 129 then x + 1812 else
  if x == 130 then x + 1826 else
  if x == 131 then x + 1840 else
  if x == 132 then x + 1854 else
  if x == 133 then x + 1868 else
  if x == 134 then x + 1882 else
  if x == 135 then x + 1896 else
  if x == 136 then x + 1910 else
  if x == 137 then x + 1924 else
  if x == 138 then x + 1938 else
  if x == 139 then x + 1952 else
  if x == 140 then x + 1966 else
  if x == 141 then x + 1980 else
  if x == 142 then x + 1994 else
  if x == 143 then x + 8 else
  if x == 144 then x + 22 else
  if x == 145 then x + 36 else
  if x == 146 then x + 50 else
  if x == 147 then x + 64 else
  if x == 148 then x + 78 else
  if x == 149 then x + 92 else
    0

entry conditions (xs: []i32) = map one_condition xs

-- The sizes of the results differ, and a condition fails after those that hold.
entry checked (x: i32) (xs: []i32): []i32 =
  if x == 0 then [xs[2], xs[0]] else
  if x == 1 then [xs[2], xs[0]] else
  if x == 2 then [xs[2], xs[0]] else
  if x == 3 then [xs[2], xs[0]] else
  if x == 4 then [xs[2], xs[0]] else
  if x == 5 then [xs[2], xs[0]] else
  if x == 6 then [xs[2], xs[0]] else
  if x == 7 then [xs[2], xs[0]] else
  if x == 8 then [xs[2], xs[0]] else
  if x == 9 then [xs[2], xs[0]] else
  if x == 10 then [xs[2], xs[0]] else
  if x == 11 then [xs[2], xs[0]] else
  if x == 12 then [xs[2], xs[0]] else
  if x == 13 then [xs[2], xs[0]] else
  if x == 14 then [xs[2], xs[0]] else
  if x == 15 then [xs[2], xs[0]] else
  if x == 16 then [xs[2], xs[0]] else
  if x == 17 then [xs[2], xs[0]] else
  if x == 18 then [xs[2], xs[0]] else
  if x == 19 then [xs[2], xs[0]] else
  if x == 20 then [xs[2], xs[0]] else
  if x == 21 then [xs[2], xs[0]] else
  if x == 22 then [xs[2], xs[0]] else
  if x == 23 then [xs[2], xs[0]] else
  if x == 24 then [xs[2], xs[0]] else
  if x == 25 then [xs[2], xs[0]] else
  if x == 26 then [xs[2], xs[0]] else
  if x == 27 then [xs[2], xs[0]] else
  if x == 28 then [xs[2], xs[0]] else
  if x == 29 then [xs[2], xs[0]] else
  if x == 30 then [xs[2], xs[0]] else
  if x == 31 then [xs[2], xs[0]] else
  if x == 32 then [xs[2], xs[0]] else
  if x == 33 then [xs[2], xs[0]] else
  if x == 34 then [xs[2], xs[0]] else
  if x == 35 then [xs[2], xs[0]] else
  if x == 36 then [xs[2], xs[0]] else
  if x == 37 then [xs[2], xs[0]] else
  if x == 38 then [xs[2], xs[0]] else
  if x == 39 then [xs[2], xs[0]] else
  if x == 40 then [xs[2], xs[0]] else
  if x == 41 then [xs[2], xs[0]] else
  if x == 42 then [xs[2], xs[0]] else
  if x == 43 then [xs[2], xs[0]] else
  if x == 44 then [xs[2], xs[0]] else
  if x == 45 then [xs[2], xs[0]] else
  if x == 46 then [xs[2], xs[0]] else
  if x == 47 then [xs[2], xs[0]] else
  if x == 48 then [xs[2], xs[0]] else
  if x == 49 then [xs[2], xs[0]] else
  if x == 50 then [xs[2], xs[0]] else
  if x == 51 then [xs[2], xs[0]] else
  if x == 52 then [xs[2], xs[0]] else
  if x == 53 then [xs[2], xs[0]] else
  if x == 54 then [xs[2], xs[0]] else
  if x == 55 then [xs[2], xs[0]] else
  if x == 56 then [xs[2], xs[0]] else
  if x == 57 then [xs[2], xs[0]] else
  if x == 58 then [xs[2], xs[0]] else
  if x == 59 then [xs[2], xs[0]] else
  if x == 60 then [xs[2], xs[0]] else
  if x == 61 then [xs[2], xs[0]] else
  if x == 62 then [xs[2], xs[0]] else
  if x == 63 then [xs[2], xs[0]] else
  if x == 64 then [xs[2], xs[0]] else
  if x == 65 then [xs[2], xs[0]] else
  if x == 66 then [xs[2], xs[0]] else
  if x == 67 then [xs[2], xs[0]] else
  if x == 68 then [xs[2], xs[0]] else
  if x == 69 then [xs[2], xs[0]] else
  if x == 70 then [xs[2], xs[0]] else
  if x == 71 then [xs[2], xs[0]] else
  if x == 72 then [xs[2], xs[0]] else
  if x == 73 then [xs[2], xs[0]] else
  if x == 74 then [xs[2], xs[0]] else
  if x == 75 then [xs[2], xs[0]] else
  if x == 76 then [xs[2], xs[0]] else
  if x == 77 then [xs[2], xs[0]] else
  if x == 78 then [xs[2], xs[0]] else
  if x == 79 then [xs[2], xs[0]] else
  if x == 80 then [xs[2], xs[0]] else
  if x == 81 then [xs[2], xs[0]] else
  if x == 82 then [xs[2], xs[0]] else
  if x == 83 then [xs[2], xs[0]] else
  if x == 84 then [xs[2], xs[0]] else
  if x == 85 then [xs[2], xs[0]] else
  if x == 86 then [xs[2], xs[0]] else
  if x == 87 then [xs[2], xs[0]] else
  if x == 88 then [xs[2], xs[0]] else
  if x == 89 then [xs[2], xs[0]] else
  if x == 90 then [xs[2], xs[0]] else
  if x == 91 then [xs[2], xs[0]] else
  if x == 92 then [xs[2], xs[0]] else
  if x == 93 then [xs[2], xs[0]] else
  if x == 94 then [xs[2], xs[0]] else
  if x == 95 then [xs[2], xs[0]] else
  if x == 96 then [xs[2], xs[0]] else
  if x == 97 then [xs[2], xs[0]] else
  if x == 98 then [xs[2], xs[0]] else
  if x == 99 then [xs[2], xs[0]] else
  if x == 100 then [xs[100], xs[0]] else
  if x == 101 then [xs[101], xs[0]] else
  if x == 102 then [xs[102], xs[0]] else
  if x == 103 then [xs[103], xs[0]] else
  if x == 104 then [xs[104], xs[0]] else
  if x == 105 then [xs[105], xs[0]] else
  if x == 106 then [xs[106], xs[0]] else
  if x == 107 then [xs[107], xs[0]] else
  if x == 108 then [xs[108], xs[0]] else
  if x == 109 then [xs[109], xs[0]] else
  if x == 110 then [xs[110], xs[0]] else
  if x == 111 then [xs[111], xs[0]] else
  if x == 112 then [xs[112], xs[0]] else
  if x == 113 then [xs[113], xs[0]] else
  if x == 114 then [xs[114], xs[0]] else
  if x == 115 then [xs[115], xs[0]] else
  if x == 116 then [xs[116], xs[0]] else
  if x == 117 then [xs[117], xs[0]] else
  if x == 118 then [xs[118], xs[0]] else
  if x == 119 then [xs[119], xs[0]] else
  if x == 120 then [xs[120], xs[0]] else
  if x == 121 then [xs[121], xs[0]] else
  if x == 122 then [xs[122], xs[0]] else
  if x == 123 then [xs[123], xs[0]] else
  if x == 124 then [xs[124], xs[0]] else
  if x == 125 then [xs[125], xs[0]] else
  if x == 126 then [xs[126], xs[0]] else
  if x == 127 then [xs[127], xs[0]] else
  if x == 128 then [xs[128], xs[0]] else
  if x == 129 then [xs[129], xs[0]] else
  if x == 130 then [xs[130], xs[0]] else
  if x == 131 then [xs[131], xs[0]] else
  if x == 132 then [xs[132], xs[0]] else
  if x == 133 then [xs[133], xs[0]] else
  if x == 134 then [xs[134], xs[0]] else
  if x == 135 then [xs[135], xs[0]] else
  if x == 136 then [xs[136], xs[0]] else
  if x == 137 then [xs[137], xs[0]] else
  if x == 138 then [xs[138], xs[0]] else
  if x == 139 then [xs[139], xs[0]] else
  if x == 140 then [xs[140], xs[0]] else
  if x == 141 then [xs[141], xs[0]] else
  if x == 142 then [xs[142], xs[0]] else
  if x == 143 then [xs[143], xs[0]] else
  if x == 144 then [xs[144], xs[0]] else
  if x == 145 then [xs[145], xs[0]] else
  if x == 146 then [xs[146], xs[0]] else
  if x == 147 then [xs[147], xs[0]] else
  if x == 148 then [xs[148], xs[0]] else
  if x == 149 then [xs[149], xs[0]] else
    []
