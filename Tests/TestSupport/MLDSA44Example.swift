/// A proof whose checkpoint a witness has cosigned with ML-DSA-44 at 1790000000, printed by
/// `mldsa44-example.py` with the PyPI package cryptography.
package enum MLDSA44Example {
    package static let time = 1_790_000_000
    /// The verifier key of the archive.
    package static let archiveKey = """
        example.com/archive+4bf1d1f0+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c
        """
    /// The verifier key of the witness.
    package static let witnessKey = """
        witness.example/w1+aff69a9d+BslbDiAGTn2ul4i2LP0UYZva2YeggEa6ttTINzmWXPU7B87NZJ6pVuDw4dnoUvt+DkjRrZVZ\
        wUiNLSw7Z956tThpGSSpN7iEcFRTvkTtImxF2vTh2JGih/3MSqTduSgtFRG0J98VLOi0K8TcuqJT9cFRNgIhTOatpxNc1vjeAivB\
        FsKhXkQ3cX+nvITNUp55kJmkFc6IWUsS5SUIa8tMJvYB3uh5yyKpu7gCm4N9gdjNPaWjnM3a/cEjlw1TmsRyYyVsgd6yOzBWtNk2\
        x1O+Rrg3czUr/kxuimGsmTxXAjkFro7P8UM+W6+SYarzV4sclsYYCNTvYzRhWwEXbbj0phIwuT05PEb+NCUnFP4Cs1LjRYTP6ysY\
        7lzAjBBcHM3ied2jWFYJKF5stuXxEEOKXMipxHh7t17SQvQiaRaM83+eQKwkJpzVAlR6dIvqLpm/yczMTUxrTJA0j2/BApt9Mon/\
        OJhG3zVAZk4ZgdPfk3FsFGfAYrMKS/Nok2eCd7ct4AZ9FW0mkzLnvOnDj9sJh9qvhVEjly3LTgRt4hNFWn90Kcja0ZkU6BQHcuHC\
        1PxiDhR8wHO78TCjSmB2rhW6xs41A+pGw4UVzwjFOhteu9FoYd4Q61hDigvxI7WSdkwIohW1LWc2H4PaxY+xzMQMJq+Qq/I0W35W\
        sfYDkJdXp6nw286ajE48qlJSluVYcAZfc+QgkPg4kBP0wWmRIxT5Vm/AbXpeTLvK7eqt/zuMZh9MB8lVkU9jktl+dRqBNq6Fasep\
        EGSKyqEZ1vcsjTxfNqEDFeGMnAUv9aQM/5/jfjIDgv9Kb4GO+u3es6kZm7cKAXNMmuLlupyFp2mFl1EOPBfNplZnY3mJraLuexkm\
        B9PAplnN44IG8b3YjR7jIH4Sf9Kj/nzopYYA/M8pnJH6Hy+oeDBcP7iFpTLIDH2LDyqpw4RBlklO4lzahOXSgsrqaQiBddmWNiUK\
        lDi/Fh2mo0CewKH3nKqNrjPEn0K6qq6raEuOZrtt5C4ogRCrOccCsbLIcoU1Dwe0/RtmHuh1VvB2E4fC5s52nKt3uuI4JxI0S/eN\
        /hdibtHrMypgA2gybOtIDxz6g6EoxRm37bP+tepQADORP5WN7IVWDGJgMMRUhnE5IjkeC2zOhSrk7i542xEEaY2bInp6QA1xCOhL\
        l05r8WZaTSRbvJGIrXMFeir/cCqsdZfk24ms2Ls3QVSyGLzyU7+aL2MPzWeb7Vaq2rvIuiLrVuYmyRmD46lSHKORA7SyEumHjAhG\
        VAvkaKCDgxzkjI7gItLqnxxal5OAlgPRAH/aTnw/Fx7JbFvw0mpsc2t0RKllDLzA1OrQszEM7/v0/X6SWVGkFoNa/f0A1rFATSLz\
        /5o+FE0UMbyqjpkHhIQB35504WxZzj/qK8htQhXztNgVWM1xDUwNaM0vlgxh43/fE+ORrTYP5J3AtEDxVGoXwn8dRGHKO1zY//Jb\
        gWzcewDqHtsXi8QBPzReatGqs+kFfERzEVeJOb2PfuDeMlJjsehX7OvgjpSw51ad2SDdEaTAIXq9Sf8eA67sy1zoXF2UL8I25cwa\
        kYAHBPwBYVaMmY/pP6MX+gPmZVQUFOdhvfiJo2JURqq7PxUgIwsjs8vOHGLpUX3Nen0ti5qBtnUwEoVc7+eyXhTFb6r5SZUHiYJF\
        okzDfky+SFtkUYVK+OUv2gAiVK1ntZwu0JVH7I36aJkoj6d5fp7U+4+mjuIBB5fou7I4+FPnmxGXSYU=
        """
    /// The text of the proof.
    package static let proof = """
        c2sp.org/tlog-proof@v1
        extra AgEHY2x1c3RlciFhcHBzdG9yZS5ub3RpZmljYXRpb25zLnByb2R1Y3Rpb24AAAADAAAAAAAABs4AAAGgxFBsAAAAAaDEUG\
        wFAAAAAAAAAAAAAAAAAAAAAAAAAGQAAQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHw==
        index 1
        nv1u0TfVaSuu7a77BgqauEXqU02wiqeL9Fc+HKzfWz4=

        example.com/archive/appstore.notifications.production/3
        2
        Nnu1QHGvBSFJPnDX1NQ/sabQ/mGGkvdmOyl3WTEaEB8=

        — example.com/archive/appstore.notifications.production/3 iXEbuimXpYnEUgqAAFG7TIdR3CxaciSeqqHLPCNajR\
        6qqwPJixOq3OMWfN0X8TmZUazskD7niECY3bB0rC7KxroY2AY=
        — example.com/archive cLrgJQAAAABqsTuAJYmo6kxU9PEpbPr2n8t+rxOFP6/fUcz+fzhiA1t6+c/XoAyAFeieYRJuEwyUz7\
        7Xn1AYGNJeWV7q5DM2TV2vAA==
        — example.com/archive/appstore.notifications.production/3 ci+TPwAAAAAAAAAAksILeTcyJfze9QapLKekNWFlb8\
        GNVg5+6FNqR29Hj4pr57cmcvFI6V/nsEBk8d7crR45ow87LFiuRbH7mPzqCQ==
        — witness.example/w1 r/aanQAAAABqsTuAzG3eShlH7o3lLVjwBoShXNP/45DZrSzycN80nRDW/BJ5gkOhAeOYe+6uGwV1tk9\
        bp82xaW14bFjAI6+FYVJQtZyfguf27pqzLykNHzHUbbSPLH76lxBSDCQ3eNkKKO2yfj1cOV71OBWz1dqwCunJJC4VnqdNs+jUCB6\
        VZMkK0wqq9OsU8R9JQ/8agDYpeXuG1GHOwehoI3o5b6rHXmxTQMMkFkmNvgWgJFSwEX2x0W95n/7vrzNEaa/nM0P2XqeqtZ7hF08\
        diVhErHHQYMsUy58s9UzjgmDf1oV2c88RSFZsg+JoH4atiV7vPyFC17smlpfsmtd0+SqcUvm38Mfo2NfSBifpLqOdT3zMBxegXLc\
        OYpQDuMPwklhZQEzunOBECduP6PDxWqVJwmzWx62sl3abstoXYtDdhbTjnupP+3Gp6XeZ9HWidaB2UNQaW88ic1fx4CHUfU/LJzT\
        8xDlXOVYLX1YZBH8RrhYJSOMboLCjXWgzk3oWRbd8Z1XctEq/DPHQC0ehqOSyZ6HlImIXV6Zrg3+MO75li9/GGMoXOTEYpHnOkdo\
        3ExKlgNnLVVfUihFhA6lEAN1pfV3vOrr6zWH5aLLH81JKRzD23poVE4G9s5XooBw3QTKX/m/73YbJFSwCjf85KMnHJ0sT95tRH0d\
        aHSR+l/sKSR5qxSrcwJxGoPYmwbDmcV9FW7OwcdvewrxTo6+icSzMcCBjlIP25B30Py+Ywt8W8cYvCJQxpgQ3rrYBHaBAtUUKHLD\
        UXq+DEIYJHQtAve58EU2LK8DGO2Nncws9dQ4Zx854gOv53WvmJGCr7omWcBpHjph5trR1BNdisLJBYyjRUZ3XcCHzZWH9nGfJ9q8\
        Yj5XYza1ShzBPGLNCsX9u4LuWwUFjKtk2sA8W35gKcNoUuNFjOUac7Wwx+8vfxBPoe4QMewE2+wyHLZnv1hc8yrLyYjFlb5meZrI\
        0cc+FdZs/Mm9CgdK7XesaTfDvFW9voEAzrFH5y8EbKCxViRjdWS6e5IgXNafbpZXxFNZhNMMfkSdxfbuxQwMFVMSUos5eDhS38cw\
        3CqvRFTCKAD2pzhhJbUdovZbJsm8IHwiP74t81lsdDkfk46y5IUkM2+F8OpYBirD24Cdk3F084+ApgjANb8UxfwtwPMKNelXVX7O\
        82oZvlilh/ay0rcs8DqC2LbuMvlQR+6Ju+jDUnvABkvZzYtNQBXmGfFZDT4ZZzp86Y9ILEzruRuhsmlJcQAICv9ZWzM9qcC7BXkL\
        DlxssfBbTLiTsS7+YbOp49zXn5bzquEj0FXsOv096bmG+Uoi9xq4QSUyUEPSSmV71it+peuF4azWu/MTBl5TO6zgPGy31f/PpMIj\
        U6hJF8V4gteo1nPkZreKp+wIV91AtiFWt3G/pIAdtj2RMCXVBXzmMLaxrYmtlDkogCq6lvyVvzzwfyLCB+SMva9aXDowyYE68ou0\
        Oce+C4G77/NKGsjHfgJL0pnVg1Xu6lxOReYZNt0pmN9tZ8Wbk44UKNIeBio9dm1LlW9Fp+JwPp4G5luz+ETvGTcMQlGqbYpwZTb8\
        eTa0hig3lN2tAGutxxc7/ms94jy1EYz+gczccRsm8E+ZcfREtwf+Nr5gVC1nSNowoxlNrnBvmwjVQUuwF+zC3FJZjOYcTNvv0476\
        1+NWcbRbJZTc0vquzhkmwffqbbtGzpmTK8BPYgtN/iRrVWAcT5H846CabfbKXh0/KCpDNs7Oq71Aaa3dFdTqwodl7cnxS/LGOMTh\
        +578Of0oPw8gANmcJTjQsSk7ypbTDbGKhgO4PcLfyZ31HYobf5BkBX7liyHTXiq7+BDEE+8NimyFvF+HZgKn11evYre6FpYWMwu+\
        1rOc2zrZ3MjTfnI7N86awVfkXE9PQ38ZjKFM0tmhpD287wVevdDm3pTGI1UE3da2b7kiJSDWaCbLVUTSRJdnO8D3lw0sVwseQLpG\
        ANofBgjJWjFbRQ666MW01SuBq4UOhII/+7jKus2yxoX7uHApLgqrlx0J9b5BPSQoK07Z1QzPMOfEJsa843PpPLSOCnIol7UxEUqk\
        RfSXLnZ5WKwe5g/n3+HY3R+SHjx7wsaU85FSXpLBiSjWc2bnm4EWKRYI8IZ6Clu8SO4Ja9Xh1OR7wEFeZ7S6+SsWgV+hHRiqI0mq\
        DPz7yr6d0MMo0oyk8SQc/EU0Rc/xdNCZtKP7DVWIizLMwOA8gzj6YTQpkJhDVyJ2gS3U6xaEpr/DJXIB45jspK4TUy86Sv056h5I\
        D8RLM8+DkJw6hmE1c/5oKaXiyYrqfTj6X87UrJtuyI8VWzhX9DSkH3GpmDb8itsZHgUZnS9YU3DBp4mXlg0EghORuQJcR31+Z0Rg\
        teobzm+wbNdWA0K81G6cT5RN0uKmjitxUij5+H+Phyo+FojuIC5ofTJMfyTtnXrPJ5xmk3uAvVXPbJsjdycFRgE4Y6luOOq9jb2f\
        iuI+c6au46a9CqFws2RMjmCalUMzHyLFcPPgMsHdALp8A5mxAcrm5QENx1w1py1whCncMShCKYbB1yg39zEPEf4klnqKUJkTAyXo\
        IiHa4YWy/D9q76/4VMFGTmLqDuzeL9/1kDGUx6pa/8zd+Kvuk8i4WVU0GTJEGRM40ANR2VnMvieekuAacKwFBdsFd6TceuSRXSEz\
        l35Hq8Agv8zWMqbMIyY6Kg/xa20U2vJyqXQutgENNBSPflojyS3ARM9uwsEEuQ45Z6BC2zU85Sqg3Xt2tt76WgrZUREG9N9yVn//\
        21VOgltCqrBlqU6Y+oUi5bzsN7omv90eD9DUOFV8WYW5+7pvNRQ2r716+4P6aiTBBau3E24q+GxD1Int2Jg/W5WM0OAzXqv8hvO3\
        JWvy1+af2K0faCJ4c4RSr+s9c6SxVTENSmEj/1r9e3TJSU7SsAAZR2uXhNgOgIMwK6bI7BNPBfEw9YuEv+9eKzdw1WTMqw8tZhrx\
        UXql1A0qlz9pwATlDau2Buz2ozb2i0EgZcdldVz9q2BqLGdF440zeUUGNt2130Q9UTAxC9C1tNAjSYybSV4WwEEh5lVk3f/ZVpIJ\
        OPDn7H+/YNoeqMQvS2Y79SOCDTq/pe+5JgBqn6GRyT0H2GSeO810BCgsQFyImND5KTE5PU1RjaHLLzdHc6vAJLTU+WFpueqKlp7n\
        M6QsdN0NNdYGGxsjL5OkiJymorLjBxMfW2t3r7Pb+AAAAAAAAAAAAAAAAABgmM0M=

        """
}
